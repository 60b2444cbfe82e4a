"use strict";
/* Plays the frames of a run: as they come, or again, at a speed that one chooses. */

/** An HTML element with attributes and children. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const number = (value) =>
  value === null || value === undefined ? "–" : Number(value.toPrecision(4)).toLocaleString("en");

/* Curves of the chart: names for the reader, and a frame's number, null where it has none. */
const CURVES = {
  energy: ["energy", (frame) => Math.sqrt(Math.max(0, frame.energy ?? 0))],
  cooling: ["temperature", (frame) => (frame.beta ? 1 / frame.beta : null)],
  weight: ["heaviest weight", (frame) => (frame.heaviest?.length ? frame.heaviest[0][1] : null)],
};
const [WIDE, HIGH] = [300, 90]; // of the chart, in its own units
const MOST_POINTS = 300;
const SPEEDS = [1, 2, 5, 15, 30, 60]; // states a second
const LEAST_S = 4; // that short runs are shown for
const WORDS_MS = 100; // between changes of words and chart while states are played

class Player {
  static all = new Set(); // players whose charts share one axis of time

  /** `above` is what stands over its controls, `below` under them. */
  constructor(host, data, label, above = "", below = "") {
    this.frames = [];
    this.looks = [];
    this.at = -1;
    this.due = 0; // part of a frame that is due
    this.playing = false;
    this.since = Infinity; // when the first frame came
    this.live = false; // whether frames come from a run that goes on
    this.coming = 0; // frames of a run that is over, while they come
    this.paused = false; // whether somebody has paused
    this.isChosen = false; // whether somebody has chosen a speed
    this.left = null; // the second of the run at which somebody has
    this.lastOnly = false; // whether it is not shown again by itself
    this.shown = []; // times of the last frames, for frames per second
    this.stage = make("div", { class: "stage" });
    this.board = new Board(this.stage, data, label);
    this.build(above, below);
    host.append(this.root);
    this.loop = this.loop.bind(this);
    requestAnimationFrame(this.loop);
  }

  build(above, below) {
    const button = (label, text, action) =>
      make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    this.toggle = button("Play", "Play", () => this.pause(this.playing));
    this.toggle.classList.add("toggle");
    this.slider = make("input", {
      type: "range", min: 0, max: 0, value: 0, "aria-label": "State",
      oninput: () => { this.pause(true); this.go(Number(this.slider.value)); },
    });
    this.speed = make("select", { "aria-label": "Speed, states a second", onchange: () => { this.isChosen = true; } },
      ...SPEEDS.map((n) => make("option", { value: n, selected: n === 30 }, `${n}/s`)));
    this.hot = make("input", { type: "checkbox", onchange: () => this.redraw() });
    this.status = make("p", { class: "status" });
    this.chart = make("div", { class: "chart" });
    this.families = make("table", { class: "families" });
    this.heavy = make("ol", { class: "heavy" });
    this.weights = make("div", { hidden: true }, make("h2", {}, "Heaviest constraints"), this.heavy);
    const controls = make("div", { class: "controls", role: "group", "aria-label": "Playback" },
      button("Back to the start", "|◂", () => { this.pause(true); this.go(0); }),
      button("Step back", "◂", () => this.step(-1)),
      this.toggle,
      button("Step", "▸", () => this.step(1)),
      this.slider, this.speed,
      make("label", {}, this.hot, " weights on the board"));
    const known = make("div", { class: "known" },
      make("div", {}, make("h2", {}, "Energy by family"), this.families), this.weights);
    const panel = make("div", { class: "box" }, above, controls, below, this.status, this.chart, known);
    this.root = make("div", { class: "player" }, make("div", { class: "sides" }, this.stage, panel));
    const svg = draw(this.chart, "svg", {
      viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img",
      "aria-label": "Energy, temperature and heaviest weight over the time of the run",
    });
    this.able(false); // there is nothing to play
    this.curves = Object.keys(CURVES).map((name) => draw(svg, "path", { class: `curve ${name}` }));
    this.place = draw(svg, "path", { class: "place" });
    this.legend = make("p", { class: "soft legend" });
    this.chart.append(this.legend);
    Player.all.add(this);
  }

  /** Whether there is something to play. */
  able(on) {
    for (const part of this.root.querySelectorAll(".controls button, .controls input[type=range]")) part.disabled = !on;
  }

  /** Draw no more: another board takes its place. */
  close() {
    this.closed = true;
    Player.all.delete(this);
    this.root.remove();
  }

  /** Forget everything: a new run begins. */
  reset() {
    [this.frames, this.looks, this.at, this.live, this.shown] = [[], [], -1, true, []];
    [this.since, this.coming, this.lastOnly, this.paused] = [Infinity, 0, false, false];
    this.board.clear();
    for (const part of [this.status, this.families, this.heavy]) part.replaceChildren();
    this.weights.hidden = true;
    for (const curve of this.curves) curve.setAttribute("d", "");
    this.legend.replaceChildren();
    this.root.dataset.state = "running";
    this.play(true);
  }

  /** A frame that has just come. */
  add(frame) {
    if (this.toggle.disabled) this.able(true);
    this.learn(frame);
    this.frames.push(frame);
    this.since = Math.min(this.since, performance.now());
    this.slider.max = this.frames.length - 1;
  }

  /** The rows of the table that a frame brings. */
  learn(frame) {
    if (frame.looks) this.looks.push(...frame.looks);
  }

  /** Its frames as a recording holds them: all looks with the first one. */
  recording() {
    const looks = [...this.looks];
    return this.frames.map((frame, i) => ({ ...frame, looks: i ? undefined : looks }));
  }

  /** The run is over; all frames that were kept, so many, come in place of the live ones. */
  again(total) {
    // A run that was over at once is shown again, from its beginning.
    const watched = performance.now() - this.since > 2000;
    this.left = this.paused && this.frames[this.at] ? this.frames[this.at].s : null;
    [this.frames, this.at, this.live, this.coming] = [[], -1, false, total];
    this.lastOnly = watched;
    const fast = SPEEDS.findLast((speed) => speed * LEAST_S <= total && speed <= 30) ?? SPEEDS[0];
    if (!this.isChosen) this.speed.value = fast;
    this.play(!watched && !this.paused);
  }

  /** All have come. */
  settle() {
    [this.live, this.coming] = [false, 0];
    this.root.dataset.state = "done";
    this.slider.max = Math.max(0, this.frames.length - 1);
    if (this.left !== null) this.go(Math.max(0, this.frames.findIndex((frame) => frame.s >= this.left)));
    else if (this.lastOnly) this.go(this.frames.length - 1);
    else if (this.at < 0) this.go(0);
    for (const player of Player.all) player.plot();
  }

  play(on) {
    this.playing = on;
    if (on && !this.live && !this.coming && this.at >= this.frames.length - 1) this.go(0);
    this.due = 0;
    for (const name of ["aria-label", "title"]) this.toggle.setAttribute(name, on ? "Pause" : "Play");
    this.toggle.textContent = on ? "Pause" : "Play";
    if (!on && this.frames[this.at]) this.tell(this.frames[this.at]);
  }

  /** What somebody wants, which the end of the run does not change. */
  pause(on) {
    this.paused = on;
    this.play(!on);
  }

  step(by) {
    this.pause(true);
    this.go(Math.max(0, Math.min(this.frames.length - 1, this.at + by)));
  }

  go(at) {
    if (!this.frames.length) return;
    this.at = at;
    this.redraw();
  }

  loop(now) {
    if (this.closed) return;
    const passed = (now - (this.last || now)) / 1000;
    this.last = now;
    const end = this.frames.length - 1;
    if (this.playing && this.live) {
      if (end > this.at) this.go(end);
    } else if (this.playing && this.at < end) {
      this.due += passed * Number(this.speed.value);
      const by = Math.round(this.due); // the nearest, as the times of frames vary a little
      this.due -= by;
      if (by) this.go(Math.min(end, this.at + by));
    } else if (this.playing && !this.live && !this.coming) this.play(false);
    requestAnimationFrame(this.loop);
  }

  redraw() {
    const frame = this.frames[this.at];
    if (!frame) return;
    this.board.show(frame, this.looks);
    this.board.warm(this.hot.checked && frame.heat ? frame.heat : null);
    this.board.svg.classList.toggle("solved", Boolean(frame.valid)); // as the rules say, not the energy
    this.slider.value = this.at;
    // Nobody reads words and charts sixty times a second, and they take longer to draw than cells.
    if (!this.playing || !(performance.now() - this.toldAt < WORDS_MS)) this.tell(frame);
    const now = performance.now();
    while (now - this.shown[0] >= 1000) this.shown.shift();
    this.shown.push(now);
    this.root.dataset.rate = this.shown.length;
  }

  /** In words: clues that are broken, where it is, families and weights; its place on the chart. */
  tell(frame) {
    this.toldAt = performance.now();
    if (this.live) this.plot();
    else this.point();
    this.board.mark(frame.lines || [[], []]);
    const where = frame.answer
      ? "the answer"
      : `read ${frame.read}, sweep ${frame.sweep.toLocaleString("en")}`;
    const heat = frame.beta === null || frame.beta === undefined ? "" : `, beta ${number(frame.beta)}`;
    this.status.textContent =
      `${this.live ? "live" : "recorded"}, state ${this.at + 1} of ${this.frames.length} | ${where} | energy ${number(frame.energy)}${heat}`;
    const families = Object.entries(frame.families || {});
    const most = Math.max(1, ...families.map(([, cost]) => cost));
    this.families.replaceChildren(...families.map(([family, cost]) =>
      make("tr", {}, make("th", { scope: "row" }, family), make("td", {}, String(cost)),
        make("td", { class: "bar" }, make("meter", { min: 0, max: most, value: cost,
          "aria-label": `energy of ${family}` })))));
    this.weights.hidden = !frame.heaviest;
    this.heavy.replaceChildren(...(frame.heaviest || []).map(([label, weight]) =>
      make("li", {}, `${label} `, make("b", {}, number(weight)))));
  }

  /** When a frame was, in seconds: the answer comes after all others. */
  when(frame) {
    return frame?.s ?? this.frames.findLast((each) => each.s !== undefined)?.s ?? 0;
  }

  /** Each curve on its own scale, that of the energy of its root; time is the same in all players. */
  plot() {
    this.end = Math.max(1e-9, ...[...Player.all].map((player) => player.when(player.frames.at(-1))));
    const every = Math.max(1, Math.floor(this.frames.length / MOST_POINTS));
    const frames = this.frames.filter((_, i) => i % every === 0 || i === this.frames.length - 1);
    const names = [];
    Object.entries(CURVES).forEach(([key, [name, of]], k) => {
      const points = frames.map((frame) => [this.when(frame), of(frame)]).filter(([, value]) => value !== null);
      const top = Math.max(1e-9, ...points.map(([, value]) => value));
      const line = points.map(([s, value]) =>
        `${((WIDE * s) / this.end).toFixed(1)} ${(HIGH - 3 - ((HIGH - 6) * value) / top).toFixed(1)}`);
      this.curves[k].setAttribute("d", line.length ? `M${line.join("L")}` : "");
      if (line.length) names.push(make("span", { class: `key ${key}` }, name));
    });
    this.legend.replaceChildren(...names, names.length ? ` over ${number(this.end)} s` : "");
    this.point();
  }

  point() {
    const x = (WIDE * this.when(this.frames[this.at])) / (this.end || 1);
    this.place.setAttribute("d", `M${x.toFixed(1)} 0V${HIGH}`);
  }
}
