"use strict";
/* The page: a puzzle, runs of solvers on it, solving by hand, its model, and what to take away. */

const $ = (id) => document.getElementById(id);
const state = { about: null, shown: null, several: [], lanes: [], ran: null };

/** Of several askings in one place only the last one counts: it ends the others. */
const latest = new Map();

async function only(place, work) {
  latest.get(place)?.abort();
  const abort = new AbortController();
  latest.set(place, abort);
  const result = await work(abort.signal);
  if (abort.signal.aborted) throw new DOMException("", "AbortError");
  return result;
}

/** Call the server; its errors are one line. */
async function call(name, given, signal) {
  const answer = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(given),
    signal,
  });
  if (!answer.ok) {
    const content = await answer.json().catch(() => ({}));
    throw new Error(content.error || `the server answers ${answer.status}`);
  }
  return answer;
}
const ask = async (name, given, signal) => (await call(name, given, signal)).json();

/** Say what a step brought, or why it failed. */
async function report(place, work, busy = "") {
  place.classList.remove("error");
  place.textContent = busy;
  try {
    const text = await work();
    if (text !== undefined) place.textContent = text;
    else if (place.textContent === busy) place.textContent = "";
  } catch (error) {
    if (error.name === "AbortError") return;
    place.classList.add("error");
    place.textContent = error.message === "Failed to fetch" ? "the server does not answer" : error.message;
  }
}

function fill(select, values, label = (value) => value) {
  select.replaceChildren(...values.map((value) => make("option", { value }, label(value))));
}

/* --- the puzzle ------------------------------------------------------------------------- */

const title = (shown) => [shown.name, shown.title || shown.id, shown.extent].filter(Boolean).join(" · ");

function take(content) {
  state.several = content.puzzles;
  $("several").hidden = content.puzzles.length < 2;
  fill($("which"), content.puzzles.map((_, i) => i), (i) => title(content.puzzles[i]));
  show(content.puzzles[0]);
  const more = (content.count || 0) - content.puzzles.length;
  return title(content.puzzles[0]) + (more > 0 ? ` (and ${more} more, which are not listed)` : "");
}

function show(shown) {
  state.shown = shown;
  state.ran = null;
  state.lanes.forEach((lane) => lane.open(shown));
  hand.open(shown);
  model.open(shown);
  const about = state.about.puzzles[shown.name];
  fill($("format"), about.formats);
  if (about.formats.includes("puzzlink")) $("format").value = "puzzlink";
  $("ran").hidden = true;
  $("no-run").hidden = false;
  $("address").hidden = true;
  $("took").textContent = "";
}

/** Take what is found; the field keeps its text only if that is what was read. */
const opened = (find, busy = "", text = "") =>
  report($("said"), async () => {
    const line = take(await only("open", find));
    if ($("text").value !== text) $("text").value = "";
    return line;
  }, busy);
const open = (given, busy = "reading ...", name = "read") =>
  opened((signal) => ask(name, given, signal), busy, given.text);

async function openFile(file) {
  if (!file) return;
  if (file.size > 6e6) return report($("said"), async () => { throw new Error(`${file.name}: larger than 6 MB`); });
  if (file.type.startsWith("image/")) {
    const raw = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let i = 0; i < raw.length; i += 8192) text += String.fromCharCode(...raw.subarray(i, i + 8192));
    return open({ text: "", image: btoa(text) }, "looking at the picture ...");
  }
  return open({ text: await file.text() });
}

$("paste").addEventListener("submit", (event) => { event.preventDefault(); open({ text: $("text").value }); });
$("text").addEventListener("paste", () => setTimeout(() => open({ text: $("text").value })));
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); open({ text: $("text").value }); }
});
$("file").addEventListener("change", () => {
  openFile($("file").files[0]);
  $("file").value = ""; // so that the same file can be chosen again
});
$("which").addEventListener("change", () => show(state.several[Number($("which").value)]));
$("example").addEventListener("change", () => {
  const chosen = state.about.examples[Number($("example").value)];
  if (chosen) opened(async () => ({ puzzles: [chosen] }));
  $("example").value = "";
});
$("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = { puzzle: $("kind").value, size: $("size").value.trim(), difficulty: $("difficulty").value };
  open(given, "making one with exactly one solution ...", "new");
});
document.addEventListener("dragover", (event) => { event.preventDefault(); $("source").classList.add("drop"); });
document.addEventListener("dragleave", () => $("source").classList.remove("drop"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  $("source").classList.remove("drop");
  const text = event.dataTransfer.getData("text");
  if (event.dataTransfer.files.length) openFile(event.dataTransfer.files[0]);
  else if (text) open({ text });
});

/* --- runs ------------------------------------------------------------------------------- */

/** Events of a stream, as they come. */
async function* events(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const [name, data] = part.split("\n");
      yield [name.slice(7), JSON.parse(data.slice(6))];
    }
  }
}

class Lane {
  constructor(solver, closable) {
    const { solvers } = state.about;
    this.solver = make("select", { onchange: () => this.families() }, ...Object.keys(solvers).map((name) =>
      make("option", { value: name, selected: name === solver, title: solvers[name].about }, name)));
    this.formulation = make("select", { onchange: () => this.families() });
    this.encoding = make("select", {}, ...["", "one-hot", "domain-wall"].map((value) =>
      make("option", { value }, value || "the solver's")));
    this.presolve = make("select", {}, ...["none", "propagate", "probe"].map((value) => make("option", { value }, value)));
    this.seed = make("input", { type: "number", min: 0, value: 1, size: 8 });
    this.limit = make("input", { type: "number", min: 1, value: 10, size: 4 });
    this.sliders = make("div", { class: "weights" });
    this.start = make("button", { type: "button", class: "main", onclick: () => this.run() }, "Solve");
    this.stop = make("button", { type: "button", onclick: () => this.end(), hidden: true }, "Stop");
    this.again = make("button", { type: "button", onclick: () => this.reseed() }, "Again with another seed");
    this.verdict = make("p", { class: "verdict", role: "status", "aria-live": "polite" });
    this.broken = make("ul", { class: "soft" });
    this.host = make("div");
    const close = make("button", { type: "button", onclick: () => this.close(), "aria-label": "Close this solver" }, "✕");
    const labelled = (text, input) => {
      input.setAttribute("aria-label", text);
      return make("label", {}, `${text} `, input);
    };
    this.root = make("div", { class: "lane" },
      make("div", { class: "row" }, labelled("Solver", this.solver), this.start, this.stop, this.again, closable ? close : ""),
      make("details", {},
        make("summary", {}, "Formulation, encoding, weights, seed"),
        make("div", { class: "row" }, labelled("Formulation", this.formulation), labelled("Encoding", this.encoding),
          labelled("Presolve", this.presolve), labelled("Seed", this.seed), labelled("Seconds", this.limit)),
        make("h3", {}, "Penalty weights at the start"), this.sliders),
      this.verdict, this.broken, this.host);
    $("lanes").append(this.root);
  }

  open(shown) {
    this.end();
    this.turn = (this.turn || 0) + 1;
    this.verdict.textContent = "";
    this.broken.replaceChildren();
    if (this.player) this.player.close();
    this.player = new Player(this.host, shown.board, title(shown));
    fill(this.formulation, ["", ...state.about.puzzles[shown.name].formulations], (name) => name || "the solver's");
    this.families();
  }

  /** A slider for each family of the formulation, from 1/10 to 10. */
  async families() {
    const { weights } = state.about.solvers[this.solver.value];
    const why = weights ? "choose a formulation to set them" : `${this.solver.value} keeps every constraint and takes none`;
    this.sliders.replaceChildren(make("span", { class: "soft" }, why));
    if (!this.formulation.value || !weights) return;
    try {
      const given = { puzzle: state.shown.puzzle, formulation: this.formulation.value };
      const { families } = await only(this, (signal) => ask("families", given, signal));
      this.sliders.replaceChildren(...families.map((family) => {
        const shown = make("output", {}, "1");
        const slider = make("input", { type: "range", min: -1, max: 1, step: 0.1, value: 0, "data-family": family,
          oninput: () => { shown.textContent = String(Number((10 ** slider.value).toPrecision(2))); } });
        return make("label", { class: "row" }, family, slider, shown);
      }));
    } catch (error) {
      if (error.name !== "AbortError") this.sliders.replaceChildren(make("span", { class: "error" }, error.message));
    }
  }

  settings() {
    const weights = {};
    for (const slider of this.sliders.querySelectorAll("input"))
      if (Number(slider.value)) weights[slider.dataset.family] = Number((10 ** slider.value).toPrecision(2));
    const given = { solver: this.solver.value, presolve: this.presolve.value, formulation: this.formulation.value,
      time_limit: Number(this.limit.value) || 10, seed: Number(this.seed.value) || 0, weights };
    if (state.about.solvers[this.solver.value].weights) given.encoding = this.encoding.value;
    return given;
  }

  reseed() {
    this.seed.value = Math.floor(Math.random() * 2 ** 31);
    this.run();
  }

  end() {
    if (this.abort) this.abort.abort();
    this.abort = null;
    // A button that goes takes the focus along, and keys would begin at the top of the page.
    if (document.activeElement === this.stop) this.start.focus();
    this.stop.hidden = true;
  }

  async run() {
    if (!state.shown) return report($("said"), async () => { throw new Error("open a puzzle first"); });
    this.end();
    const abort = (this.abort = new AbortController());
    const turn = (this.turn = (this.turn || 0) + 1);
    const shown = state.shown;
    this.stop.hidden = false;
    this.broken.replaceChildren();
    this.verdict.className = "verdict";
    this.player.reset();
    await report(this.verdict, () => this.follow(shown, abort), "solving ...");
    if (turn !== this.turn) return; // another run has begun
    if (abort.signal.aborted) this.verdict.textContent = "stopped";
    this.end();
    if (this.player.live || this.player.coming) this.player.settle();
  }

  async follow(shown, abort) {
    const answer = await call("run", { puzzle: shown.puzzle, ...this.settings() }, abort.signal);
    for await (const [name, event] of events(answer)) {
      if (abort.signal.aborted) return;
      if (name === "frame" || name === "kept") this.player.add(event);
      else if (name === "result") this.result(event);
      else if (name === "course") this.player.again(event.frames);
      else if (name === "error") throw new Error(event.message);
      else if (name === "end") {
        this.player.settle();
        this.keep(shown);
      }
    }
  }

  /** What can be taken away: the last run that came to its end. */
  keep(shown) {
    state.ran = { ...this.ended, shown, frames: this.player.recording() };
    $("ran").hidden = false;
    $("no-run").hidden = true;
    $("snippet").textContent = this.ended.snippet;
    $("solved").hidden = !this.ended.url;
    if (this.ended.url) $("solved").href = this.ended.url;
  }

  result(event) {
    this.ended = event;
    this.verdict.textContent = event.summary;
    this.verdict.classList.add(event.valid ? "good" : "bad");
    this.broken.replaceChildren(...event.violations.map((each) => make("li", {}, each)));
  }

  close() {
    this.end();
    if (this.player) this.player.close();
    this.root.remove();
    state.lanes = state.lanes.filter((lane) => lane !== this);
    paired();
    $("second").focus();
  }
}

function paired() {
  $("second").hidden = state.lanes.length > 1;
  $("both").hidden = state.lanes.length < 2;
}

$("both").addEventListener("click", () => state.lanes.forEach((lane) => lane.run()));
$("second").addEventListener("click", () => {
  const lane = new Lane("neal", true);
  state.lanes.push(lane);
  if (state.shown) lane.open(state.shown);
  paired();
  lane.solver.focus();
});

/* --- by hand ---------------------------------------------------------------------------- */

const HOW = {
  shade: "Click a cell: black, or its sign, then a dot for white, then open again. Keys: arrows, Space, Backspace.",
  inks: "Click a cell: the colours in turn, then a dot for white, then open again. Keys: arrows, Space, Backspace.",
  words: "Choose a cell and type, or press a button below. Keys: arrows, the letters or digits, Backspace.",
  lines: "Click the border between two cells, or drag along cells, to draw a line or take it away; where cells may be black, click in the middle of one. Keys: arrows, Shift and an arrow for a line, Space for black.",
  spans: "Drag from a circle to the next, or click between two: a line, a second one, then none. Keys: arrows, Shift and an arrow for a line, Backspace.",
  regions: "Drag from corner to corner of a rectangle with one clue in it; click on one to take it away. Keys: arrows, Shift and arrows for more cells, Space for a rectangle, Backspace.",
};
const SIDES = ["right", "down", "left", "up"];

/** How many lines leave a cell by each side, in words. */
const named = (counts) => counts.map((n, side) => (n > 1 ? `${n} ${SIDES[side]}` : n ? SIDES[side] : "")).filter(Boolean);

const hand = {
  open(shown) {
    latest.get("hand")?.abort();
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
    $("how").textContent = `${HOW[inks.length ? "inks" : ends ? "spans" : this.kind]} Enter puts a hint in. Rows and columns are counted from 1.`;
    $("field").replaceChildren();
    this.board = new Board($("field"), shown.board, title(shown));
    this.board.svg.setAttribute("aria-hidden", "true");
    this.board.svg.classList.toggle("drag", this.drags());
    if (this.kind === "words")
      for (const [r, c, word] of shown.board.words)
        if (this.values.has(word)) this.marks.set(r * shown.board.columns + c, this.values.get(word));
    this.fixed = new Set(this.marks.keys());
    this.bad = new Set();
    this.step = new Map(); // marks of the hint that is shown
    this.cursor = draw(this.board.over, "rect", { width: UNIT, height: UNIT, class: "cursor" });
    this.hinted = draw(this.board.over, "g");
    this.chosen = draw(this.board.over, "rect", { class: "chosen" });
    this.at = 0;
    this.from = null; // the other corner of the cells that are chosen, or where a line has come to
    this.pressed = null; // where a pointer went down, while it is
    this.board.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.board.svg.addEventListener("pointermove", (event) => this.pressed && this.drag(event));
    this.board.svg.addEventListener("pointerup", (event) => this.pressed && this.release(event));
    this.board.svg.addEventListener("pointercancel", () => this.letGo());
    this.forget();
    this.move(0);
    this.buttons();
  },

  /** A button for each value, for those who have no keys. */
  buttons() {
    const press = (value) => () => this.set(this.at, value);
    const buttons = this.shown.entries.values.map(({ value, word }) =>
      make("button", { type: "button", onclick: press(value) }, word || "none"));
    $("keys").hidden = this.kind !== "words";
    $("keys").replaceChildren(...buttons, make("button", { type: "button", onclick: press(undefined) }, "open"));
    $("check").textContent = this.kind === "words" && this.values.has("C") ? "Check" : "Check (C)";
    $("hint").textContent = this.kind === "words" && this.values.has("H") ? "Hint" : "Hint (H)";
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
    if (this.kind === "shade" && !this.words.get(1)) return this.board.look(i, [value ? 1 : 0, broken, 0, value ? value - 1 : 0, ""], value === 0);
    const word = value === undefined || this.fixed.has(i) ? "" : this.words.get(value) || "";
    this.board.look(i, [0, broken, 0, 0, word], value === 0);
  },

  /** All cells, with the step that is shown. */
  paint() {
    const { marks } = this;
    this.marks = new Map([...marks, ...this.step]);
    for (let i = 0; i < this.board.shade.length; i++) this.paintCell(i);
    this.marks = marks;
    this.board.fill();
  },

  move(i) {
    if (i < 0 || i >= this.board.shade.length) return;
    this.at = i;
    const [x, y] = this.board.corner(i);
    this.cursor.setAttribute("x", x);
    this.cursor.setAttribute("y", y);
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
    const free = [...changes].filter(([i]) => !this.fixed.has(i));
    if (!free.length) return;
    latest.get("hand")?.abort();
    for (const [i, value] of free)
      if (value === undefined) this.marks.delete(i);
      else this.marks.set(i, value);
    this.forget();
    this.board.mark([[], []]);
    this.say();
    if ($("always").checked) this.check();
  },

  /** Black, where that is a value, and open again; its lines are gone. */
  blacken(i) {
    const [black] = this.words.keys();
    if (black === undefined) return;
    const was = this.marks.get(i);
    this.erase(i);
    if (was !== black) this.set(i, black);
  },

  /** Open again, with all lines and cells that go with it. */
  erase(i) {
    const value = this.marks.get(i);
    if (this.kind === "lines") for (const side of SIDES.keys()) while (this.count(i, side)) this.line(i, side);
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

  /** Black or each colour, white, open. */
  next(i) {
    const value = this.marks.get(i);
    this.set(i, value === undefined ? 1 : value ? (value + 1) % this.shades.length : undefined);
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
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.board.svg.getScreenCTM().inverse());
    const [x, y] = [point.x / UNIT, point.y / UNIT];
    const { rows, columns } = this.shown.board;
    const [c, r] = [[x, columns], [y, rows]].map(([at, end]) => Math.max(0, Math.min(end - 1, Math.floor(at))));
    return { x, y, r, c, cell: r * columns + c, inside: x >= 0 && y >= 0 && x < columns && y < rows };
  },

  drags() {
    return this.kind === "lines" || this.kind === "regions";
  },

  press(event) {
    const place = this.place(event);
    if (!place.inside || !event.isPrimary) return;
    event.preventDefault();
    $("field").focus();
    this.from = null;
    this.move(place.cell);
    if (this.kind === "shade") this.next(this.at);
    if (!this.drags()) return;
    this.from = place.cell;
    this.pressed = place;
    this.board.svg.setPointerCapture(event.pointerId);
  },

  /** A choice goes to where the pointer is; lines, as far as the ends that it has reached. */
  drag(event) {
    const { cell } = this.place(event);
    if (this.kind === "regions") return this.move(cell);
    for (;;) {
      const [side, far] = this.way(cell);
      const cells = this.span(this.from, side);
      if (!far || !cells.length || cells.length - 1 - cells.indexOf(this.from) > far) return undefined;
      this.move((this.from = this.line(this.from, side)));
      this.pressed.drawn = true;
    }
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

  letGo() {
    this.pressed = this.from = null;
    this.choose();
  },

  key(event) {
    const side = SIDES.findIndex((name) => event.key.toLowerCase() === `arrow${name}`);
    const letter = event.key.toUpperCase();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (side >= 0) {
      const end = event.shiftKey && this.kind === "lines" ? this.line(this.at, side) : undefined;
      this.from = event.shiftKey && this.kind === "regions" ? this.from ?? this.at : null;
      this.move(end ?? this.beside(this.at, side));
    } else if (event.key === "Enter" && this.step.size) this.enter();
    else if (event.key === "Backspace" || event.key === "Delete") this.erase(this.at);
    else if (this.kind === "words" && this.values.has(letter === "." ? "0" : letter)) this.type(letter === "." ? "0" : letter);
    else if (this.kind === "shade" && (event.key === " " || event.key === "Enter")) this.next(this.at);
    else if (this.kind === "lines" && (event.key === " " || event.key === "Enter")) this.blacken(this.at);
    else if (this.kind === "regions" && (event.key === " " || event.key === "Enter")) this.enclose();
    else if (letter === "H") this.hint();
    else if (letter === "C") this.check();
    else return;
    event.preventDefault();
  },

  /** Words of several digits: what is there and the new digit, if that is a value. */
  type(letter) {
    const before = this.marks.has(this.at) && !this.fixed.has(this.at) ? this.words.get(this.marks.get(this.at)) || "" : "";
    const joined = before + letter;
    this.set(this.at, this.values.get(/^[0-9]+$/.test(joined) && this.values.has(joined) ? joined : letter));
  },

  given() {
    const columns = this.shown.board.columns;
    const marks = [...this.marks].map(([i, value]) => [Math.floor(i / columns), i % columns, value]);
    return { puzzle: this.shown.puzzle, marks, bits: this.kind === "lines" };
  },

  check() {
    const shown = this.shown;
    return report($("told"), async () => {
      const result = await only("hand", (signal) => ask("check", this.given(), signal));
      this.forget();
      this.bad = new Set(result.cells.map(([r, c]) => r * shown.board.columns + c));
      this.paint();
      return result.solved ? "Solved: the checker accepts it." : result.messages.join("; ");
    });
  },

  /** The next step, shown but not put in. */
  hint() {
    const shown = this.shown;
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
$("clear").addEventListener("click", () => state.shown && hand.open(state.shown));

/* --- the model -------------------------------------------------------------------------- */

const model = {
  open(shown) {
    latest.get("model")?.abort();
    latest.get("coefficient")?.abort();
    this.shown = shown;
    this.qubo = this.pointed = null;
    fill($("model-formulation"), state.about.puzzles[shown.name].formulations);
    if (!$("model").hidden) this.load();
  },

  how() {
    return { puzzle: this.shown.puzzle, formulation: $("model-formulation").value, encoding: $("model-encoding").value };
  },

  load() {
    if (!this.shown || this.qubo) return undefined;
    $("matrix").hidden = true;
    for (const id of ["model-families", "coefficient", "sources"]) $(id).replaceChildren();
    return report($("sizes"), async () => {
      const qubo = await only("model", (signal) => ask("model", this.how(), signal));
      this.qubo = qubo;
      this.at = [0, 0];
      const head = make("tr", {}, ...["family", "variables", "couplings"].map((name) => make("th", { scope: "col" }, name)));
      $("model-families").replaceChildren(head, ...qubo.families.map((each) => make("tr", {},
        make("th", { scope: "row" }, each.family), make("td", {}, each.variables.toLocaleString("en")),
        make("td", {}, each.couplings.toLocaleString("en")))));
      this.drawMatrix();
      const large = qubo.names ? "" : "; too many to draw";
      return `${qubo.variables.toLocaleString("en")} variables, ${qubo.couplings.toLocaleString("en")} couplings, ` +
        `coefficients of ${number(qubo.least)} to ${number(qubo.greatest)}, offset ${number(qubo.offset)}${large}`;
    }, "building ...");
  },

  /** Red is positive, blue negative; linear coefficients are on the diagonal. */
  drawMatrix() {
    const canvas = $("matrix");
    const qubo = this.qubo;
    canvas.hidden = !qubo.names;
    $("coefficient").textContent = "";
    $("sources").replaceChildren();
    if (!qubo.names) return;
    const n = Math.max(1, qubo.variables);
    this.table = new Map();
    qubo.linear.forEach((value, i) => value && this.table.set(i * n + i, value));
    const [rows, columns, values] = qubo.quadratic;
    rows.forEach((i, k) => this.table.set(i * n + columns[k], values[k]));
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const side = canvas.width / n;
    const top = Math.max(1e-9, qubo.greatest);
    for (const [place, value] of this.table) {
      const strength = 0.25 + 0.75 * Math.sqrt(Math.abs(value) / top);
      pen.fillStyle = value > 0 ? `rgba(192, 57, 43, ${strength})` : `rgba(0, 90, 178, ${strength})`;
      const [i, j] = [Math.floor(place / n), place % n];
      pen.fillRect(j * side, i * side, Math.max(1, side), Math.max(1, side));
      if (i !== j) pen.fillRect(i * side, j * side, Math.max(1, side), Math.max(1, side));
    }
  },

  /** The coefficient at a place of the picture. */
  point(event) {
    if (!this.qubo || !this.qubo.names) return;
    const box = $("matrix").getBoundingClientRect();
    const n = Math.max(1, this.qubo.variables);
    const at = [event.clientY - box.top, event.clientX - box.left].map((part) =>
      Math.max(0, Math.min(n - 1, Math.floor((part / box.width) * n))));
    this.tell(at);
  },

  tell(at) {
    const [i, j] = [Math.min(...at), Math.max(...at)];
    if (this.pointed === `${i},${j}`) return;
    [this.pointed, this.at] = [`${i},${j}`, at];
    const n = Math.max(1, this.qubo.variables);
    const names = this.qubo.names;
    const value = this.table.get(i * n + j) || 0;
    $("coefficient").textContent = i === j ? `${names[i]}: ${value}` : `${names[i]} × ${names[j]}: ${value}`;
    $("sources").replaceChildren();
    clearTimeout(this.timer);
    if (value) this.timer = setTimeout(() => this.sources(i, j), 120);
  },

  async sources(i, j) {
    try {
      const given = { ...this.how(), i, j };
      const { sources, count } = await only("coefficient", (signal) => ask("coefficient", given, signal));
      const more = count > sources.length ? [make("li", {}, `and ${count - sources.length} more`)] : [];
      $("sources").replaceChildren(...sources.map(([family, label, share]) =>
        make("li", {}, `${share > 0 ? "+" : ""}${share} from ${family}: ${label}`)), ...more);
    } catch (error) {
      if (error.name !== "AbortError") $("coefficient").textContent = error.message;
    }
  },

  key(event) {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!step || !this.qubo || !this.qubo.names) return;
    event.preventDefault();
    const last = this.qubo.variables - 1;
    this.tell(this.at.map((part, axis) => Math.max(0, Math.min(last, part + step[axis]))));
  },
};

for (const id of ["model-formulation", "model-encoding"])
  $(id).addEventListener("change", () => { model.qubo = null; model.load(); });
$("matrix").addEventListener("pointermove", (event) => model.point(event));
$("matrix").addEventListener("click", (event) => model.point(event));
$("matrix").addEventListener("keydown", (event) => model.key(event));

/* --- to take away ----------------------------------------------------------------------- */

function save(data, name, type = "application/octet-stream") {
  const link = make("a", { href: URL.createObjectURL(new Blob([data], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return `saved as ${name}`;
}

const fileName = () => (state.shown.id || state.shown.name).replace(/[^\w.-]+/g, "-").slice(0, 60) || "puzzle";

function keep(format, more = {}) {
  if (!state.shown) return undefined;
  $("address").hidden = true;
  return report($("took"), async () => {
    const made = await ask("written", { puzzle: state.shown.puzzle, to: format, ...more });
    $("address").hidden = !made.address;
    if (made.address) {
      [$("address").href, $("address").textContent] = [made.address, made.address];
      return "the address is above";
    }
    return save(bytes(made.data), fileName() + made.suffix);
  }, "writing ...");
}

$("save-puzzle").addEventListener("click", () => keep($("format").value));
$("save-model").addEventListener("click", () => keep($("model-format").value));
$("copy").addEventListener("click", () => report($("took"), async () => {
  await navigator.clipboard.writeText($("snippet").textContent);
  return "copied";
}));
$("save-run").addEventListener("click", () => report($("took"), async () => {
  const { shown, frames, solver, seed } = state.ran;
  const run = { title: `${title(shown)}: ${solver}, seed ${seed}`, board: shown.board, frames };
  const answer = await call("replay", run);
  return save(await answer.blob(), `${fileName()}-${solver}-${seed}.html`, "text/html");
}, "writing ..."));

/* --- tabs, and the beginning ------------------------------------------------------------ */

const tabs = [...document.querySelectorAll("[role=tab]")];

function choose(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    $(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
  if (tab.id === "tab-model") model.load();
}

tabs.forEach((tab, i) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const other = tabs[(i + by + tabs.length) % tabs.length];
    choose(other);
    other.focus();
  });
});

report($("said"), async () => {
  state.about = await ask("about", {});
  const { examples, puzzles } = state.about;
  $("example").append(...examples.map((each, i) => make("option", { value: i }, title(each))));
  fill($("kind"), Object.keys(puzzles).filter((name) => puzzles[name].generated));
  state.lanes.push(new Lane("annealer", false));
  const first = Math.max(0, examples.findIndex((each) => each.name === "nonogram"));
  return take({ puzzles: [examples[first]] });
}, "starting ...");
