"use strict";
/* A board: cells as a small picture that is enlarged, a pixel each, and all else as SVG over it,
   which is drawn once, then told how each cell looks. Thousands of cells as SVG would be slow to paint. */

const SVG = "http://www.w3.org/2000/svg";
const UNIT = 20; // pixels of a cell, before the picture is scaled
const [GAP, LETTER] = [0.38, 0.32]; // between clues outside, and a letter of one, in cells
const LARGEST = 5; // how many times as large a board is drawn at most
/* What cells are filled with, on white and on grey paper: red, green, blue and opacity. */
const [CLEAR, INK, BROKEN, BROKEN_INK] = [[0, 0, 0, 0], [34, 34, 34, 255], [219, 34, 34, 84], [192, 57, 43, 255]];
const HEATS = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((level) => [232, 89, 12, 27 * level]); // of the heat map
const WAYS = [[1, 0], [0, 1], [-1, 0], [0, -1]]; // right, down, left, up
const TWIN = 2.5; // how far each of two lines is from the middle
const DOT = "·"; // of a cell that is known to be white
const DISCS = { "○": "white", "●": "black" }; // words that are drawn

/** An SVG element with attributes, inside another one. */
function draw(parent, name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== "") element.textContent = text;
  parent.append(element);
  return element;
}

/** How far from the grid the middle of each clue is, and where the last one ends, in cells. */
function places(clue, size) {
  let end = 0;
  const middles = clue.map((word) => (end += GAP + size(word)) - size(word) / 2 - GAP / 2);
  return { middles, end };
}
const across = (word) => LETTER * word.length;
const upright = () => LETTER;

/** The bytes of a base64 text. */
function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** The numbers of a frame's cells, two bytes each, the lower first. */
function codes(text) {
  const raw = bytes(text);
  return Uint16Array.from({ length: raw.length / 2 }, (_, i) => raw[2 * i] | (raw[2 * i + 1] << 8));
}

/** Red, green, blue and opacity of a colour such as #ffcc00. */
const parts = (ink) => [...[1, 3, 5].map((at) => parseInt(ink.slice(at, at + 2), 16)), 255];

/** One colour over another, as a number of an image's 32 bits. */
function over(top, below) {
  const [a, b] = [top[3] / 255, (below[3] / 255) * (1 - top[3] / 255)];
  const color = [0, 1, 2].map((k) => (a + b ? (a * top[k] + b * below[k]) / (a + b) : 0));
  return new Uint32Array(Uint8Array.from([...color, 255 * (a + b)].map(Math.round)).buffer)[0];
}

/** Whether dark is read better on a colour such as #ffcc00. */
function isLight(ink) {
  const [red, green, blue] = parts(ink);
  return 299 * red + 587 * green + 114 * blue > 140000;
}

class Board {
  /** `data` is what `frames.board` makes. */
  constructor(host, data, label) {
    this.data = data;
    const { rows, columns } = data;
    const side = (name, size) => (Math.max(0, ...data[name].map((clue) => places(clue, size).end)) + 0.4) * UNIT;
    const [left, top] = [side("left", across), side("top", upright)];
    const width = left + columns * UNIT + side("right", across);
    const height = top + rows * UNIT + side("bottom", upright);
    this.pen = make("canvas", { width: columns, height: rows }).getContext("2d");
    this.image = this.pen.createImageData(columns, rows);
    const paper = make("div", { class: "paper" }, this.pen.canvas);
    const frame = make("div", { class: "frame" }, paper);
    frame.style.setProperty("--aspect", width / height);
    frame.style.setProperty("--most", `${width * LARGEST}px`);
    host.append(frame);
    this.svg = draw(frame, "svg", { class: "board", role: "img", "aria-label": label });
    const sides = { left, top, right: width - left - columns * UNIT, bottom: height - top - rows * UNIT };
    this.view = new View(this.svg, paper, sides, [columns * UNIT, rows * UNIT]);
    const { grid } = this.view;
    this.inks = Object.values(data.inks);
    const inks = this.inks.map(parts);
    const broken = inks.map((ink) => ink.map((part, k) => (part + BROKEN_INK[k]) / 2));
    const faces = [CLEAR, ...(inks.length ? inks : [INK])]; // by a cell's number in `shade`
    const badFaces = [BROKEN, ...(inks.length ? broken : [BROKEN_INK])]; // which follow
    this.faces = [...faces, ...badFaces].map((face) => over(face, CLEAR));
    this.hotFaces = HEATS.map((heat) => [...faces, ...faces].map((face) => over(heat, face)));
    this.heated = this.heat = null; // weights over the board, see `warm`
    this.shade = new Uint8Array(rows * columns);
    this.always = [...data.black.join("")].map(Number); // black cells of the puzzle
    this.lines();
    this.edges = draw(grid, "g", { class: "paths" });
    this.paths = draw(grid, "g", { class: "paths" });
    this.words = draw(grid, "g", { class: "words" });
    this.clues();
    this.over = draw(this.view.over, "g", { class: "over" });
    this.before = new Int32Array(rows * columns).fill(-1);
    this.decoded = new WeakMap(); // the numbers of frames
    this.path = new Map();
    this.edge = new Map();
    this.word = new Map();
    this.notes = new Map();
    this.clear();
  }

  /** The upper left corner of a cell, by its number. */
  corner(i) {
    const columns = this.data.columns;
    return [(i % columns) * UNIT, Math.floor(i / columns) * UNIT];
  }

  lines() {
    const { rows, columns, beside, above, rooms } = this.data;
    let [thin, thick] = ["", ""];
    for (let r = 0; r <= rows; r++) thin += `M0 ${r * UNIT}h${columns * UNIT}`;
    for (let c = 0; c <= columns; c++) thin += `M${c * UNIT} 0v${rows * UNIT}`;
    // As long as they go: a thousand short ones would be slow to paint.
    const runs = (line) => [...line.matchAll(/1+/g)].map((run) => [run.index * UNIT, run[0].length * UNIT]);
    for (let c = 0; c <= columns; c++)
      for (const [y, length] of runs(beside.map((row) => row[c]).join(""))) thick += `M${c * UNIT} ${y}v${length}`;
    above.forEach((row, r) => runs(row).forEach(([x, length]) => (thick += `M${x} ${r * UNIT}h${length}`)));
    draw(this.view.grid, "path", { d: thin, class: "thin" });
    if (rooms) draw(this.view.grid, "path", { d: thick, class: "thick edges" });
    draw(this.view.grid, "path", { d: thick, class: "thick" });
  }

  clues() {
    const { rows, columns, left, right, top, bottom, words, corners, circled, marks } = this.data;
    const g = draw(this.view.grid, "g", { class: "clues" });
    for (const mark of marks) this.drawMark(g, mark);
    const middle = (n) => (n + 0.5) * UNIT;
    this.marked = [new Set(), new Set()]; // lines whose clues are red
    this.clueOf = [Array.from({ length: rows }, () => []), Array.from({ length: columns }, () => [])];
    /* The clues of one side from the grid outwards; `at` takes a line and a distance. */
    const write = (axis, side, clues, size, at) => clues.forEach((clue, n) => {
      const band = this.view.bands[side];
      const spots = places(clue, size).middles.map((out) => at(n, out * UNIT));
      const inks = clue.map((word) => this.data.inks[word.slice(-1)]);
      spots.forEach(([x, y], i) => {
        const width = 0.75 * UNIT;
        const attributes = { x: x - width / 2, y: y - 0.35 * UNIT, width, height: 0.68 * UNIT, rx: 3 };
        if (inks[i]) draw(band, "rect", attributes).style.fill = inks[i];
      });
      const line = draw(band, "text", { class: "clue" }); // one for all its words, which are many
      spots.forEach(([x, y], i) => {
        const word = draw(line, "tspan", { x, y }, inks[i] ? clue[i].slice(0, -1) : clue[i]);
        if (inks[i]) word.style.fill = isLight(inks[i]) ? "#222222" : "#ffffff";
      });
      this.clueOf[axis][n].push(line);
    });
    const outwards = (clues) => clues.map((clue) => [...clue].reverse());
    write(0, "left", outwards(left), across, (r, out) => [-out, middle(r)]);
    write(0, "right", right, across, (r, out) => [columns * UNIT + out, middle(r)]);
    write(1, "top", outwards(top), upright, (c, out) => [middle(c), -out]);
    write(1, "bottom", bottom, upright, (c, out) => [middle(c), rows * UNIT + out]);
    this.given = new Map(); // what stands in a cell of the puzzle, by the cell's number
    const give = (r, c, name, attributes, word) => {
      const i = r * columns + c;
      this.given.set(i, [...(this.given.get(i) || []), draw(g, name, attributes, word)]);
    };
    for (const [r, c] of circled)
      give(r, c, "circle", { cx: middle(c), cy: middle(r), r: 0.4 * UNIT, class: "circle" });
    for (const [r, c, word] of words) {
      if (DISCS[word]) {
        give(r, c, "circle", { cx: middle(c), cy: middle(r), r: 0.36 * UNIT, class: `circle ${DISCS[word]}` });
        continue;
      }
      const size = Math.min(11, (1.5 * UNIT) / word.length); // long words are smaller
      const name = this.given.has(r * columns + c) ? "given circled" : "given";
      give(r, c, "text", { x: middle(c), y: middle(r), class: name }, word);
      this.given.get(r * columns + c).at(-1).style.fontSize = `${size}px`;
    }
    for (const [r, c, word] of corners)
      give(r, c, "text", { x: c * UNIT + 2, y: r * UNIT + 6, class: "corner" }, word);
  }

  /** A line, disc, square or word of what is drawn over several cells. */
  drawMark(g, [form, points, color, size, word]) {
    const places = points.map((point) => point.map((n) => n * UNIT));
    const [x, y] = places[0];
    const width = size * UNIT;
    const look = { fill: color || "#ffffff", stroke: color || "#222222", "stroke-width": 1 };
    if (form === "line")
      draw(g, "polyline", { points: places.join(" "), fill: "none", stroke: color, "stroke-linecap": "round",
        "stroke-width": width || 1, "stroke-dasharray": width ? "none" : "3 2" });
    else if (form === "disc") draw(g, "circle", { cx: x, cy: y, r: width, ...look });
    else if (form === "square")
      draw(g, "rect", { x: x - width, y: y - width, width: 2 * width, height: 2 * width, ...look });
    else draw(g, "text", { x, y, "font-size": width, fill: color }, word);
  }

  /** The board as it was drawn, without an answer. */
  clear() {
    this.before.fill(-1);
    for (let i = 0; i < this.shade.length; i++) this.look(i, [0, 0, 0, 0, ""]);
    this.fill();
    this.mark([[], []]);
    this.warm(null);
  }

  /** Show a frame's cells: `looks` is the table that its numbers are of. */
  show(frame, looks) {
    if (!this.decoded.has(frame)) this.decoded.set(frame, codes(frame.cells));
    const numbers = this.decoded.get(frame);
    for (let i = 0; i < numbers.length; i++)
      if (numbers[i] !== this.before[i]) {
        this.before[i] = numbers[i];
        this.look(i, looks[numbers[i]]);
      }
    this.fill();
  }

  /** One cell: black, broken, sides that a path leaves by, its colour, a word, sides with borders; a dot for white. */
  look(i, [black, broken, sides, color, word, edges], dot = false) {
    const ink = black || this.always[i] ? 1 + (this.inks.length ? color : 0) : 0;
    this.shade[i] = ink + (broken ? 1 + Math.max(1, this.inks.length) : 0);
    for (const given of this.given.get(i) || []) {
      given.classList.toggle("on-black", ink > 0);
      given.classList.toggle("on-path", Boolean(sides));
    }
    this.drawPath(i, sides, color);
    this.write(i, dot && !word ? DOT : word);
    this.drawEdges(i, edges);
  }

  drawEdges(i, edges) {
    let path = this.edge.get(i);
    if (!path && !edges) return;
    if (!path) this.edge.set(i, (path = draw(this.edges, "path", { class: "thick" })));
    const [x, y] = this.corner(i);
    let d = "";
    const lines = [`M${x + UNIT} ${y}v${UNIT}`, `M${x} ${y + UNIT}h${UNIT}`, `M${x} ${y}v${UNIT}`, `M${x} ${y}h${UNIT}`];
    lines.forEach((line, bit) => (d += edges & (1 << bit) ? line : "")); // right, down, left, up
    path.setAttribute("d", d);
  }

  /** Draw the shades of all cells, and the heat over them. */
  fill() {
    const pixels = new Uint32Array(this.image.data.buffer);
    this.shade.forEach((shade, i) => (pixels[i] = (this.heat ? this.hotFaces[this.heat[i]] : this.faces)[shade]));
    this.pen.putImageData(this.image, 0, 0);
  }

  drawPath(i, sides, color) {
    let path = this.path.get(i);
    if (!path && !sides) return;
    if (!path) this.path.set(i, (path = draw(this.paths, "path")));
    const [x, y] = this.corner(i).map((part) => part + UNIT / 2);
    const half = UNIT / 2;
    let d = "";
    WAYS.forEach(([dx, dy], k) => {
      if (!(sides & (1 << k))) return;
      for (const off of sides & (16 << k) ? [-TWIN, TWIN] : [0])
        d += `M${x + off * dy} ${y + off * dx}l${half * dx} ${half * dy}`;
    });
    path.setAttribute("d", d);
    path.setAttribute("stroke", this.data.palette[color % this.data.palette.length]);
  }

  write(i, word) {
    let text = this.word.get(i);
    if (!text && !word) return;
    const isDot = word === DOT;
    const at = UNIT * (isDot && this.given.has(i) ? 0.84 : 0.5); // beside what is given
    const [x, y] = this.corner(i).map((part) => part + at);
    if (!text) this.word.set(i, (text = draw(this.words, "text", { class: "word" })));
    text.setAttribute("x", x);
    text.setAttribute("y", y);
    text.classList.toggle("dot", isDot);
    text.textContent = word;
  }

  /** Small words in a cell, each with its place among so many. */
  note(i, words, places) {
    let group = this.notes.get(i);
    if (!group && !words.length) return;
    if (!group) this.notes.set(i, (group = draw(this.words, "g", { class: "notes" })));
    const [x, y] = this.corner(i);
    const side = Math.ceil(Math.sqrt(places));
    const part = UNIT / side;
    group.replaceChildren();
    for (const [word, place] of words)
      draw(group, "text", { x: x + part * ((place % side) + 0.5), y: y + part * (Math.floor(place / side) + 0.5),
        "font-size": Math.min(6, part * 0.95) }, word);
  }

  /** Clues of rows and columns in red. */
  mark([rows, columns]) {
    [rows, columns].forEach((broken, axis) => {
      const [before, now] = [this.marked[axis], new Set(broken)];
      this.marked[axis] = now;
      this.clueOf[axis].forEach((sides, n) => {
        if (before.has(n) !== now.has(n)) sides.forEach((line) => line.classList.toggle("broken", now.has(n)));
      });
    });
  }

  /** Weights over the board: a byte a cell in base64, or null for none. */
  warm(heat) {
    if (heat === this.heated) return;
    this.heated = heat;
    this.heat = heat && bytes(heat).map((value) => Math.ceil((value * (HEATS.length - 1)) / 255));
    this.fill();
  }
}

/** Enlarge the pictures of cells for paper, as not all that prints keeps large pixels sharp, and back. */
function enlarge(by) {
  for (const canvas of document.querySelectorAll(".paper canvas")) {
    const before = canvas.cloneNode();
    before.getContext("2d").drawImage(canvas, 0, 0);
    canvas.width *= by;
    canvas.height *= by;
    const pen = canvas.getContext("2d");
    pen.imageSmoothingEnabled = false;
    pen.drawImage(before, 0, 0, canvas.width, canvas.height);
  }
}
addEventListener("beforeprint", () => enlarge(16));
addEventListener("afterprint", () => enlarge(1 / 16));
