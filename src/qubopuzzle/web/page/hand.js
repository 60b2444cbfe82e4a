"use strict";
/* Solving by hand: marks on a board, by mouse, finger and keys, checked and hinted. */

const HOW = {
  shade: "Click or drag: BLACK; right button or a long press: a dot for WHITE; again: open. Keys: arrows, Space, X for a dot, Backspace.",
  inks: "Click or drag: the colours in turn; right button or a long press: a dot for white; again: open. Keys: arrows, Space, X for a dot, Backspace.",
  words: "Choose a cell and type, or press a button; with Pencil on, what you type is a small note. Keys: arrows, the letters or digits, Backspace.",
  lines: "Click the border between two cells, or drag along cells, to draw a line or take it away; where cells may be black, click in the middle of one. Keys: arrows, Shift and an arrow for a line, Space for black.",
  spans: "Drag from a circle to the next, or click between two: a line, a second one, then none. Keys: arrows, Shift and an arrow for a line, Backspace.",
  regions: "Drag from corner to corner of a rectangle with one clue in it; click on one to take it away. Keys: arrows, Shift and arrows for more cells, Space for a rectangle, Backspace.",
};
const SIDES = ["right", "down", "left", "up"];
const LONG_PRESS = 450; // milliseconds
const LETTERS = { hint: "H", check: "C", undo: "Z", redo: "Y", pencil: "P" }; // keys of buttons

/** What the browser keeps of a puzzle, by its JSON: marks, notes and the time; none where it keeps nothing. */
const kept = {
  prefix: "qubopuzzle ",
  of(puzzle) {
    try {
      const value = JSON.parse(localStorage.getItem(this.prefix + puzzle));
      return Array.isArray(value?.marks) && Array.isArray(value.notes) ? value : {};
    } catch {
      return {};
    }
  },
  keep(puzzle, value) {
    for (let last = false; ; last = true)
      try {
        if (value) localStorage.setItem(this.prefix + puzzle, JSON.stringify(value));
        else localStorage.removeItem(this.prefix + puzzle);
        return;
      } catch {
        if (last || !this.forget()) return; // marks last as long as the page
      }
  },
  /** Forget all puzzles; false where there is no storage. */
  forget() {
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(this.prefix)) localStorage.removeItem(key);
      return true;
    } catch {
      return false;
    }
  },
};

/** How many lines leave a cell by each side, in words. */
const named = (counts) => counts.map((n, side) => (n > 1 ? `${n} ${SIDES[side]}` : n ? SIDES[side] : "")).filter(Boolean);

const hand = {
  open(shown) {
    latest.get("hand")?.abort();
    this.quiet();
    this.shown = shown;
    this.kind = shown.entries.kind;
    this.marks = new Map();
    this.values = new Map(shown.entries.values.map((each) => [each.word || "0", each.value]));
    this.words = new Map(shown.entries.values.map((each) => [each.value, each.word]));
    const { factors, most, ends, seeds } = shown.entries;
    const number = ([r, c]) => r * shown.board.columns + c;
    this.lines = { factors, most, ends: ends && new Set(ends.map(number)) };
    this.seeds = new Map((seeds || []).map((seed) => [number(seed), seed[2]]));
    const inks = Object.keys(shown.board.inks);
    this.shades = ["white", ...(inks.length ? inks : [this.words.get(1) || "black"])];
    const how = HOW[inks.length ? "inks" : ends ? "spans" : this.kind];
    const [white, black] = shown.entries.names || [];
    $("how").textContent = `${how.replace("BLACK", black).replace("WHITE", white)} Z takes back, Y does again, Enter puts a hint in; + and - enlarge, as two fingers do. Rows and columns are counted from 1.`;
    $("field").replaceChildren();
    this.board = new Board($("field"), shown.board, title(shown));
    this.board.svg.setAttribute("aria-hidden", "true");
    this.board.svg.classList.toggle("drag", this.kind !== "words");
    if (this.kind === "words")
      for (const [r, c, word] of shown.board.words)
        if (this.values.has(word)) this.marks.set(r * shown.board.columns + c, this.values.get(word));
    this.fixed = new Set(this.marks.keys());
    this.notes = new Map(); // small values of a cell, in the order of the values
    [this.past, this.future] = [[], []]; // changes to take back, and to do again: [map, cell, before, after] each
    [this.seconds, this.isSolved] = [0, false];
    this.restore();
    this.bad = new Set();
    this.step = new Map(); // marks of the hint that is shown
    this.cursor = draw(this.board.over, "rect", { width: UNIT, height: UNIT, class: "cursor" });
    this.hinted = draw(this.board.over, "g");
    this.chosen = draw(this.board.over, "rect", { class: "chosen" });
    this.at = 0;
    this.from = null; // the other corner of the cells that are chosen, or where a line has come to
    this.pressed = null; // where a pointer went down, while it is
    this.batch = null; // changes that are taken back at once
    this.board.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.board.svg.addEventListener("pointermove", (event) => this.pressed && this.drag(event));
    this.board.svg.addEventListener("pointerup", (event) => this.pressed && this.release(event));
    this.board.svg.addEventListener("pointercancel", () => this.letGo());
    this.board.svg.classList.toggle("solved", this.isSolved);
    this.board.view.onpinch = () => this.pinched();
    this.board.svg.addEventListener("contextmenu", (event) => event.preventDefault());
    this.forget();
    this.move(0);
    this.buttons();
  },

  /** A button for each value, for those who have no keys. */
  buttons() {
    const press = (value) => () => this.write(value);
    const hasBlack = this.board.always.some(Boolean); // which are the cells without a word
    const buttons = this.shown.entries.values.filter(({ word }) => word || !hasBlack).map(({ value, word }) =>
      make("button", { type: "button", onclick: press(value) }, word || "none"));
    $("keys").hidden = this.kind !== "words";
    $("keys").replaceChildren(...buttons, make("button", { type: "button", onclick: press(undefined) }, "erase"));
    $("pencil").hidden = this.kind !== "words";
    for (const [id, letter] of Object.entries(LETTERS)) {
      const name = id[0].toUpperCase() + id.slice(1);
      $(id).textContent = this.kind === "words" && this.values.has(letter) ? name : `${name} (${letter})`;
    }
  },

  /** How a cell looks now. */
  paintCell(i) {
    const value = this.marks.get(i);
    const broken = this.bad.has(i) ? 1 : 0;
    if (this.kind === "lines") {
      const sides = SIDES.reduce((sum, _, side) => sum + [0, 1, 17][this.count(i, side)] * (1 << side), 0);
      return this.board.look(i, this.words.get(value) ? [1, broken, 0, 0, ""] : [0, broken, sides, 0, ""]);
    }
    if (this.kind === "regions") {
      const isOther = (side) => value !== undefined && this.marks.get(this.beside(i, side)) !== value;
      return this.board.look(i, [0, broken, 0, 0, "", SIDES.reduce((sum, _, side) => sum + isOther(side) * (1 << side), 0)]);
    }
    if (this.kind === "shade" && !this.words.get(1)) {
      const { loop } = this.shown.entries; // around what is shaded, as far as one sees both sides; outside nothing is
      const isOther = (other) => value !== undefined && other !== undefined && Boolean(value) !== Boolean(other);
      const ends = SIDES.map((_, side) => loop && isOther(this.beside(i, side) < 0 ? 0 : this.marks.get(this.beside(i, side))));
      const edges = ends.reduce((sum, isEnd, side) => sum + isEnd * (1 << side), 0);
      return this.board.look(i, [value ? 1 : 0, broken, 0, value ? value - 1 : 0, "", edges], value === 0);
    }
    const word = value === undefined || this.fixed.has(i) ? "" : this.words.get(value) || "";
    this.board.look(i, [0, broken, 0, 0, word], value === 0 && !this.fixed.has(i));
    const values = [...this.words.keys()];
    const notes = (value === undefined && this.notes.get(i)) || [];
    this.board.note(i, notes.map((each) => [this.words.get(each) || "·", values.indexOf(each)]), values.length);
  },

  /** All cells, with the step that is shown. */
  paint() {
    const { marks } = this;
    this.marks = new Map([...marks, ...this.step]);
    for (let i = 0; i < this.board.shade.length; i++) this.paintCell(i);
    this.board.path.forEach((path, i) => path.classList.toggle("step", this.step.has(i))); // not drawn yet
    this.marks = marks;
    this.board.fill();
  },

  move(i) {
    if (i < 0 || i >= this.board.shade.length) return;
    this.at = i;
    const [x, y] = this.board.corner(i);
    this.cursor.setAttribute("x", x);
    this.cursor.setAttribute("y", y);
    this.board.view.reveal(x, y);
    this.choose();
    this.say();
  },

  /** The cells of the rectangle from where a choice has begun, and show it. */
  choose() {
    const { columns } = this.shown.board;
    const corners = [this.kind === "regions" ? this.from ?? this.at : this.at, this.at];
    const [top, bottom] = corners.map((i) => Math.floor(i / columns)).sort((a, b) => a - b);
    const [left, right] = corners.map((i) => i % columns).sort((a, b) => a - b);
    const [width, height] = [right - left + 1, bottom - top + 1];
    const box = { x: left * UNIT, y: top * UNIT, width: width * UNIT, height: height * UNIT };
    for (const [key, value] of Object.entries(box)) this.chosen.setAttribute(key, value);
    this.chosen.style.display = width * height > 1 ? "" : "none";
    return Array.from({ length: width * height }, (_, k) => (top + Math.floor(k / width)) * columns + left + (k % width));
  },

  /** Tell a screen reader where one is, and what is there. */
  say() {
    const columns = this.shown.board.columns;
    const value = this.marks.get(this.at);
    let what = "open";
    if (value !== undefined) what = this.kind === "shade" ? this.shades[value] : this.words.get(value) || "empty";
    if (this.kind === "lines") {
      const sides = named(SIDES.map((_, side) => this.count(this.at, side)));
      what = this.words.get(value) || (sides.length ? `lines ${sides.join(", ")}` : "no lines");
    }
    if (this.kind === "regions" && value !== undefined) what = `in the rectangle of ${this.seed(value)}`;
    const clues = this.board.data;
    const word = clues.words.find(([r, c]) => r * columns + c === this.at);
    const [row, column] = [Math.floor(this.at / columns), this.at % columns];
    const clue = [["row clue", clues.left[row]], ["column clue", clues.top[column]]]
      .filter(([, numbers]) => numbers && numbers.length).map(([name, numbers]) => `, ${name} ${numbers.join(" ")}`).join("");
    $("here").textContent = `row ${row + 1}, column ${column + 1}: ${what}${word ? `, clue ${DISCS[word[2]] || word[2]}` : ""}${clue}`;
  },

  set(i, value) {
    this.put(new Map([[i, value]]));
  },

  /** Change the marks of cells; undefined for open ones. */
  put(changes) {
    const free = [...changes].filter(([i]) => !this.fixed.has(i) && !this.board.always[i]);
    if (free.length) this.change(free.map(([i, value]) => [this.marks, i, this.marks.get(i), value]));
  },

  /** Make changes, which can be taken back; those of one stroke, or of `together`, at once. */
  change(changes) {
    const stroke = this.pressed ?? this.batch;
    if (stroke?.changes) stroke.changes.push(...changes);
    else {
      this.past.push(changes);
      if (stroke) stroke.changes = changes;
    }
    this.future = [];
    this.apply(changes.map(([map, i, , after]) => [map, i, after]));
  },

  /** What is changed in the meantime is taken back at once. */
  together(work) {
    const outer = this.batch;
    this.batch = outer ?? {};
    work();
    this.batch = outer;
  },

  apply(changes) {
    latest.get("hand")?.abort();
    for (const [map, i, value] of changes)
      if (value === undefined) map.delete(i);
      else map.set(i, value);
    this.forget();
    this.board.mark([[], []]);
    this.say();
    this.keep();
    if ($("always").checked) this.check();
    else this.finish();
  },

  undo() {
    const changes = this.past.pop();
    if (!changes) return;
    this.future.push(changes);
    this.apply([...changes].reverse().map(([map, i, before]) => [map, i, before]));
  },

  redo() {
    const changes = this.future.pop();
    if (!changes) return;
    this.past.push(changes);
    this.apply(changes.map(([map, i, , after]) => [map, i, after]));
  },

  /** All marks and notes away, which can be taken back. */
  clear() {
    const all = [this.marks, this.notes].flatMap((map) => [...map.keys()].map((i) => [map, i, map.get(i), undefined]));
    const changes = all.filter(([map, i]) => map !== this.marks || !this.fixed.has(i));
    if (changes.length) this.change(changes);
  },

  /** A value in the chosen cell, or a note of it. */
  write(value) {
    const isNote = $("pencil").getAttribute("aria-pressed") === "true" && !$("pencil").hidden;
    if (!isNote || value === undefined) return this.set(this.at, value);
    if (this.marks.has(this.at)) return undefined;
    const before = this.notes.get(this.at) || [];
    const after = before.includes(value) ? before.filter((each) => each !== value) : [...before, value].sort((a, b) => a - b);
    return this.change([[this.notes, this.at, before.length ? before : undefined, after.length ? after : undefined]]);
  },

  /* --- what the browser keeps: marks, notes and the time --- */

  name() {
    return JSON.stringify(this.shown.puzzle);
  },

  keep() {
    const marks = [...this.marks].filter(([i]) => !this.fixed.has(i));
    const notes = [...this.notes];
    const { seconds, isSolved } = this;
    kept.keep(this.name(), marks.length || notes.length ? { marks, notes, seconds, isSolved } : null);
  },

  restore() {
    const { marks = [], notes = [], seconds = 0, isSolved = false } = kept.of(this.name());
    for (const [i, value] of marks) if (!this.fixed.has(i)) this.marks.set(i, value);
    for (const [i, values] of notes) this.notes.set(i, values);
    [this.seconds, this.isSolved] = [seconds, isSolved];
    this.tick(0);
  },

  /** The time on this puzzle, which runs from the first mark to the solution, while one looks. */
  tick(by) {
    const runs = by && !this.isSolved && this.marks.size > this.fixed.size && !document.hidden && !$("hand").hidden;
    if (runs) this.seconds += by;
    const [minutes, seconds] = [Math.floor(this.seconds / 60), String(this.seconds % 60).padStart(2, "0")];
    $("clock").textContent = `${minutes}:${seconds}`;
    if (runs && this.seconds % 10 === 0) this.keep();
  },

  /** Say so when the last mark solves it; nothing is said of one that is not solved. */
  finish() {
    this.quiet();
    this.solved(false);
    this.later = setTimeout(async () => {
      try {
        const { solved } = await only("finish", (signal) => ask("check", { ...this.given(), solved_only: true }, signal));
        if (solved) this.solved(true);
      } catch { /* "Check" says what is wrong */ }
    }, 250);
  },

  /** What is asked now is answered, not whether it is solved. */
  quiet() {
    clearTimeout(this.later);
    latest.get("finish")?.abort();
  },

  solved(on) {
    this.isSolved = on;
    this.board.svg.classList.toggle("solved", on);
    if (!on) return;
    $("told").classList.remove("error");
    $("told").textContent = `Solved: the checker accepts it. Time: ${$("clock").textContent}`;
    this.keep();
  },

  /** Black, where that is a value, and open again; its lines are gone. */
  blacken(i) {
    const [black] = this.words.keys();
    if (black === undefined) return;
    const was = this.marks.get(i);
    this.together(() => {
      this.erase(i);
      if (was !== black) this.set(i, black);
    });
  },

  /** Open again, with all lines and cells that go with it. */
  erase(i) {
    const value = this.marks.get(i);
    if (this.kind === "lines")
      this.together(() => { for (const side of SIDES.keys()) while (this.count(i, side)) this.line(i, side); });
    if (this.kind === "regions") this.put(new Map([...this.marks].filter(([, own]) => own === value).map(([cell]) => [cell, undefined])));
    else if (this.marks.has(i)) this.set(i, undefined);
  },

  /** The chosen cells become a rectangle, for those that they touch; one that is clicked goes. */
  enclose() {
    const cells = this.choose();
    this.letGo();
    if (cells.length === 1 && this.marks.has(this.at)) return this.erase(this.at);
    const clues = cells.filter((i) => this.seeds.has(i));
    if (clues.length !== 1) {
      $("told").textContent = `A rectangle has one clue in it; this one has ${clues.length || "none"}.`;
      return undefined;
    }
    const value = this.seeds.get(clues[0]);
    const gone = new Set([value, ...cells.map((i) => this.marks.get(i))]);
    const changes = new Map([...this.marks].filter(([, own]) => gone.has(own)).map(([i]) => [i, undefined]));
    for (const i of cells) changes.set(i, value);
    return this.put(changes);
  },

  /** The cell of the clue that a region's cells have as their value, in words. */
  seed(value) {
    const [i] = [...this.seeds].find(([, own]) => own === value);
    const { columns } = this.shown.board;
    return `row ${Math.floor(i / columns) + 1}, column ${(i % columns) + 1}`;
  },

  /** What comes next in a cell: black or each colour, white, open. */
  after(i) {
    const value = this.marks.get(i);
    return value === undefined ? 1 : value ? (value + 1) % this.shades.length : undefined;
  },

  next(i) {
    this.set(i, this.after(i));
  },

  /** A dot for white, or open again. */
  dot(i) {
    this.set(i, this.marks.get(i) === 0 ? undefined : 0);
  },

  pencil() {
    const button = $("pencil");
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
  },

  /** The cell beside, by its side; -1 for none. */
  beside(i, side) {
    const { rows, columns } = this.shown.board;
    const [c, r] = [(i % columns) + WAYS[side][0], Math.floor(i / columns) + WAYS[side][1]];
    return r < 0 || c < 0 || r >= rows || c >= columns ? -1 : r * columns + c;
  },

  /** What the lines of a cell add up to. */
  sum(i) {
    const value = this.marks.get(i) || 0;
    return this.words.has(value) ? 0 : value;
  },

  /** How many lines leave a cell by each side, as far as its value says. */
  counts(value) {
    const { factors, most } = this.lines;
    return factors.map((factor) => (factor ? Math.floor(value / factor) % (most + 1) : 0));
  },

  /** How many lines leave a cell by a side, as its own value says or that of the cell beside. */
  count(i, side) {
    if (this.lines.factors[side]) return this.counts(this.sum(i))[side];
    return this.counts(this.sum(this.beside(i, side)))[(side + 2) % 4];
  },

  /** The cells from end to end that a line by this side of a cell goes through, if there are such ends. */
  span(i, side) {
    const isEnd = (cell) => cell < 0 || !this.lines.ends || this.lines.ends.has(cell);
    const cells = [i];
    while (!isEnd(cells[0])) cells.unshift(this.beside(cells[0], (side + 2) % 4));
    do cells.push(this.beside(cells.at(-1), side)); while (!isEnd(cells.at(-1)));
    return cells[0] < 0 || cells.at(-1) < 0 ? [] : cells;
  },

  /** One line more from end to end, or none again; returns the end on that side. */
  line(i, side) {
    const cells = this.span(i, side);
    const { factors, most } = this.lines;
    const more = cells.length && this.count(i, side) === most ? -most : 1;
    const changes = new Map(cells.map((cell) => [cell, this.sum(cell)]));
    cells.forEach((cell, k) => {
      const lines = (k + 1 < cells.length) * factors[side] + (k > 0) * factors[(side + 2) % 4];
      changes.set(cell, changes.get(cell) + more * lines || undefined);
    });
    this.put(changes);
    return cells.at(-1);
  },

  /** Where a pointer is, in widths of a cell, and the cell, which is on the board. */
  place(event) {
    const point = this.board.view.locate(event.clientX, event.clientY);
    const [x, y] = [point.x / UNIT, point.y / UNIT];
    const { rows, columns } = this.shown.board;
    const [c, r] = [[x, columns], [y, rows]].map(([at, end]) => Math.max(0, Math.min(end - 1, Math.floor(at))));
    return { x, y, r, c, cell: r * columns + c, inside: point.inside };
  },

  press(event) {
    const place = this.place(event);
    if (!place.inside || !event.isPrimary) return;
    event.preventDefault();
    $("field").focus();
    this.from = null;
    this.move(place.cell);
    if (this.kind === "words") return;
    this.pressed = place;
    this.board.svg.setPointerCapture(event.pointerId);
    if (this.kind !== "shade") {
      this.from = place.cell;
      return;
    }
    this.pressed.over = this.marks.get(this.at); // cells that look like the first are painted like it
    if (event.button === 2) this.dot(this.at);
    else this.next(this.at);
    this.pressed.value = this.marks.get(this.at);
    if (event.pointerType !== "mouse") this.pressed.timer = setTimeout(() => this.pressed && this.longPress(), LONG_PRESS);
  },

  /** A dot in the cell that a finger rests on. */
  longPress() {
    if (this.pressed.drawn) return;
    const value = this.pressed.over === 0 ? undefined : 0;
    this.set(this.pressed.cell, value);
    this.pressed.value = value;
  },

  /** A choice goes to where the pointer is; lines, as far as the ends that it has reached. */
  drag(event) {
    const { cell } = this.place(event);
    if (this.kind === "regions") return this.move(cell);
    if (this.kind === "shade") return this.paintOver(cell);
    for (;;) {
      const [side, far] = this.way(cell);
      const cells = this.span(this.from, side);
      if (!far || !cells.length || cells.length - 1 - cells.indexOf(this.from) > far) return undefined;
      this.move((this.from = this.line(this.from, side)));
      this.pressed.drawn = true;
    }
  },

  /** The cells from the last one to this get the value of the stroke, if they were like its first. */
  paintOver(cell) {
    const { columns } = this.shown.board;
    const ends = [this.at, cell].map((i) => [i % columns, Math.floor(i / columns)]);
    const [dx, dy] = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
    const steps = Math.max(Math.abs(dx), Math.abs(dy));
    if (!steps) return;
    this.pressed.drawn = true;
    const way = Array.from({ length: steps }, (_, k) => {
      const [x, y] = [dx, dy].map((by, axis) => ends[0][axis] + Math.round((by * (k + 1)) / steps));
      return y * columns + x;
    });
    const { over, value } = this.pressed;
    this.put(new Map(way.filter((i) => this.marks.get(i) === over).map((i) => [i, value])));
    this.move(cell);
  },

  /** The side by which a straight way leads from where a line has come to, and how far; 0 for none. */
  way(to) {
    const { columns } = this.shown.board;
    const [right, down] = [(to % columns) - (this.from % columns), Math.floor(to / columns) - Math.floor(this.from / columns)];
    return [right ? (right > 0 ? 0 : 2) : down > 0 ? 1 : 3, right && down ? 0 : Math.abs(right + down)];
  },

  /** A rectangle, or a line where none was drawn yet: to where the pointer went, or by the border that was clicked. */
  release(event) {
    const { x, y, r, c, cell, drawn } = this.pressed;
    if (this.kind === "regions") return this.enclose();
    if (this.kind === "shade") return this.letGo();
    const [side, far] = this.way(this.place(event).cell);
    const borders = [c + 1 - x, r + 1 - y, x - c, y - r]; // to the right, down, left, up
    const sides = [...SIDES.keys()].sort((one, other) => borders[one] - borders[other]);
    if (!drawn && far) this.line(cell, side);
    else if (!drawn && this.at === this.place(event).cell) {
      if (this.words.size && Math.min(...borders) > 0.3) this.blacken(cell);
      else this.line(cell, sides.find((each) => this.span(cell, each).length) ?? 0);
    }
    return this.letGo();
  },

  /** A second finger: what the first one did was the beginning of a pinch. */
  pinched() {
    if (!this.pressed) return;
    const { changes } = this.pressed;
    this.letGo();
    if (!changes) return;
    this.undo();
    this.future = [];
  },

  letGo() {
    clearTimeout(this.pressed?.timer);
    this.pressed = this.from = null;
    this.choose();
  },

  key(event) {
    const side = SIDES.findIndex((name) => event.key.toLowerCase() === `arrow${name}`);
    const letter = event.key.toUpperCase();
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.altKey || (isCommand && letter !== "Z" && letter !== "Y")) return;
    if (isCommand) {
      event.preventDefault();
      return letter === "Y" || event.shiftKey ? this.redo() : this.undo();
    }
    if (side >= 0) {
      const end = event.shiftKey && this.kind === "lines" ? this.line(this.at, side) : undefined;
      this.from = event.shiftKey && this.kind === "regions" ? this.from ?? this.at : null;
      this.move(end ?? this.beside(this.at, side));
    } else if (event.key === "Enter" && this.step.size) this.enter();
    else if (event.key === "Backspace" || event.key === "Delete") this.erase(this.at);
    else if (this.kind === "words" && this.values.has(letter === "." ? "0" : letter)) this.type(letter === "." ? "0" : letter);
    else if (this.kind === "shade" && letter === "X") this.dot(this.at);
    else if (this.kind === "shade" && (event.key === " " || event.key === "Enter")) this.next(this.at);
    else if (this.kind === "lines" && (event.key === " " || event.key === "Enter")) this.blacken(this.at);
    else if (this.kind === "regions" && (event.key === " " || event.key === "Enter")) this.enclose();
    else if ("+=-".includes(letter) || (letter === "0" && this.kind !== "words")) this.zoom(letter);
    else if (letter === "H") this.hint();
    else if (letter === "C") this.check();
    else if (letter === "Z") this.undo();
    else if (letter === "Y") this.redo();
    else if (letter === "P" && this.kind === "words") this.pencil();
    else return;
    event.preventDefault();
  },

  /** By a key, and the cell where one is stays in view. */
  zoom(key) {
    this.board.view.key(key);
    this.board.view.reveal(...this.board.corner(this.at));
  },

  /** Words of several digits: what is there and the new digit, if that is a value. */
  type(letter) {
    const before = this.marks.has(this.at) && !this.fixed.has(this.at) ? this.words.get(this.marks.get(this.at)) || "" : "";
    const joined = before + letter;
    this.write(this.values.get(/^[0-9]+$/.test(joined) && this.values.has(joined) ? joined : letter));
  },

  given() {
    const columns = this.shown.board.columns;
    const marks = [...this.marks].map(([i, value]) => [Math.floor(i / columns), i % columns, value]);
    return { puzzle: this.shown.puzzle, marks, bits: this.kind === "lines" };
  },

  check() {
    const shown = this.shown;
    this.quiet();
    return report($("told"), async () => {
      const result = await only("hand", (signal) => ask("check", this.given(), signal));
      this.forget();
      this.bad = new Set(result.cells.map(([r, c]) => r * shown.board.columns + c));
      this.paint();
      this.solved(result.solved);
      return result.solved ? undefined : result.messages.join("; ");
    });
  },

  /** The next step, shown but not put in. */
  hint() {
    const shown = this.shown;
    this.quiet();
    return report($("told"), async () => {
      const { hint } = await only("hand", (signal) => ask("next_hint", this.given(), signal));
      this.forget();
      if (!hint) return "All cells are on the board.";
      const number = ([r, c]) => r * shown.board.columns + c;
      const cells = hint.cells.map(([r, c, value]) => [number([r, c]), value]);
      const roles = new Map([...hint.near.map((cell) => [number(cell), "near"]),
        ...hint.because.map((cell) => [number(cell), "because"]), ...cells.map(([i]) => [i, "hinted"])]);
      for (const [i, role] of roles) {
        const [x, y] = this.board.corner(i);
        draw(this.hinted, "rect", { x: x + 1.5, y: y + 1.5, width: UNIT - 3, height: UNIT - 3, class: role });
      }
      this.step = this.joined(cells);
      if (!cells.length) this.bad = new Set(hint.because.map(number));
      $("put").hidden = !cells.length;
      const [claim, ...lines] = hint.text.split("\n- ");
      $("chain").replaceChildren(...lines.map((line) => make("li", {}, line)));
      if (cells.length) this.move(cells[0][0]);
      this.paint();
      return claim;
    });
  },

  /** What changes with values of cells: they, clues of their rectangles, and cells to which lines lead. */
  joined(cells) {
    const values = new Set(cells.map(([, value]) => value));
    const changes = new Map([...cells, ...[...this.seeds].filter(([, value]) => values.has(value))]);
    if (this.kind !== "lines") return changes;
    const { factors, most } = this.lines;
    const add = (cell, side, lines) => {
      const before = changes.get(cell) ?? this.sum(cell);
      const drawn = factors[side] ? Math.floor(before / factors[side]) % (most + 1) : lines;
      if (drawn < lines) changes.set(cell, before + (lines - drawn) * factors[side]);
    };
    for (const [i, value] of cells.filter((each) => !this.words.has(each[1])))
      this.counts(value).forEach((lines, side) => lines && this.span(i, side).forEach((cell, k, span) => {
        if (k + 1 < span.length) add(cell, side, lines);
        if (k > 0) add(cell, (side + 2) % 4, lines);
      }));
    return changes;
  },

  /** Put the step in that is shown. */
  enter() {
    const hadFocus = document.activeElement === $("put");
    this.put(this.step);
    if (hadFocus) $("hint").focus(); // a button that goes takes the focus along
  },

  /** No step is shown any more. */
  forget() {
    this.step = new Map();
    this.bad.clear();
    this.hinted.replaceChildren();
    $("chain").replaceChildren();
    $("put").hidden = true;
    $("told").textContent = "";
    this.paint();
  },
};

$("field").addEventListener("keydown", (event) => state.shown && hand.key(event));
$("hint").addEventListener("click", () => state.shown && hand.hint());
$("put").addEventListener("click", () => hand.enter());
$("check").addEventListener("click", () => state.shown && hand.check());
$("clear").addEventListener("click", () => hand.clear());
$("undo").addEventListener("click", () => hand.undo());
$("redo").addEventListener("click", () => hand.redo());
$("pencil").addEventListener("click", () => hand.pencil());
$("larger").addEventListener("click", () => state.shown && hand.zoom("+"));
$("smaller").addEventListener("click", () => state.shown && hand.zoom("-"));
/* After a click on a button keys go on working; somebody who uses keys stays at the button. */
$("hand").addEventListener("click", (event) => event.detail && event.target.closest("button") && $("field").focus({ preventScroll: true }));
setInterval(() => state.shown && hand.tick(1), 1000);
