"use strict";
/* The QUBO as a picture, and what its coefficients come from. */

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
