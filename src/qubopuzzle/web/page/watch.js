"use strict";
/* Runs of solvers on the puzzle: a lane each, with its settings and what it shows. */

/** Events of a stream, as they come. */
async function* events(answer) {
  if (answer.events) return yield* await answer.events(); // recorded
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
    this.start = make("button", { type: "button", class: "main", onclick: () => this.run() }, isOffline ? "Show the recorded run" : "Solve");
    this.stop = make("button", { type: "button", onclick: () => this.end(), hidden: true }, "Stop");
    this.again = make("button", { type: "button", class: "again", onclick: () => this.reseed() }, "Again with another seed");
    this.verdict = make("p", { class: "verdict", role: "status", "aria-live": "polite" });
    this.broken = make("ul", { class: "soft" });
    const close = make("button", { type: "button", onclick: () => this.close(), "aria-label": "Close this solver" }, "✕");
    const labelled = (text, input) => {
      input.setAttribute("aria-label", text);
      return make("label", {}, `${text} `, input);
    };
    this.controls = make("div", {},
      make("div", { class: "row" }, labelled("Solver", this.solver), this.start, this.stop, this.again, closable ? close : ""),
      make("details", {},
        make("summary", {}, "Formulation, encoding, weights, seed"),
        make("div", { class: "row" }, labelled("Formulation", this.formulation), labelled("Encoding", this.encoding),
          labelled("Presolve", this.presolve), labelled("Seed", this.seed), labelled("Seconds", this.limit)),
        make("h2", {}, "Penalty weights at the start"), this.sliders));
    this.root = make("div", { class: "lane" });
    $("lanes").append(this.root);
  }

  open(shown) {
    this.end();
    this.turn = (this.turn || 0) + 1;
    this.verdict.textContent = "";
    this.broken.replaceChildren();
    if (this.player) this.player.close();
    this.player = new Player(this.root, shown.board, title(shown), this.controls, make("div", {}, this.verdict, this.broken));
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
