"use strict";
/* The page without a server: what it asks is looked up in what was computed when it was built, see static.py.
   `COPY` is set by data.js: `about`, whose examples have a solution, hints, and the file of a recorded run. */

const NO_SERVER = "this copy of the page has no server: pip install 'qubopuzzle[web]' && qubopuzzle serve does this";

const offline = {
  runs: new Map(), // the events of recorded runs, by file, once they are loaded

  /** The answer to a call; an error for what takes a server. */
  async answer(name, given) {
    if (!this[`on_${name}`]) throw new Error(NO_SERVER);
    return this[`on_${name}`](given);
  },

  on_about: () => COPY.about,

  /** An example by its JSON, as it stands in the address of the page, or by its address in a player. */
  on_read({ text = "" }) {
    const { examples } = COPY.about;
    let found = examples.find((each) => each.address && each.address === text.trim());
    try {
      const { solution, ...puzzle } = JSON.parse(text);
      found ??= this.of(puzzle);
    } catch { /* it is no JSON */ }
    if (!found) throw new Error(NO_SERVER);
    return { puzzles: [found], count: 1 };
  },

  of(puzzle) {
    const text = JSON.stringify(puzzle);
    return COPY.about.examples.find((each) => JSON.stringify(each.puzzle) === text);
  },

  /** Marks that the only solution does not have; lines that are not all drawn yet may be right. */
  wrong({ puzzle, marks, bits }) {
    const { solution, entries } = this.of(puzzle);
    const isBlack = (value) => entries.values.some((each) => each.value === value);
    const digits = (value) => entries.factors.map((factor) => (factor ? Math.floor(value / factor) % (entries.most + 1) : 0));
    return marks.filter(([r, c, value]) => {
      const right = solution[r][c];
      if (!bits || isBlack(value) || isBlack(right)) return value !== right;
      const whole = digits(right);
      return digits(value).some((lines, side) => lines > whole[side]);
    });
  },

  on_check(given) {
    const { solution, entries } = this.of(given.puzzle);
    const wrong = this.wrong(given);
    if (wrong.length) {
      const messages = [`these differ from the only solution: ${wrong.length} of ${given.marks.length} marks`];
      return { solved: false, cells: given.solved_only ? [] : wrong.map(([r, c]) => [r, c]), messages };
    }
    const marks = new Map(given.marks.map(([r, c, value]) => [`${r} ${c}`, value]));
    const drawsNoZero = entries.kind === "lines" || entries.values.some((each) => each.value === 0 && !each.word);
    const open = solution.flatMap((row, r) => row.filter((value, c) => {
      const mark = marks.get(`${r} ${c}`);
      return mark === undefined ? value !== 0 || !drawsNoZero : mark !== value;
    }));
    if (!open.length) return { solved: true, cells: [], messages: [] };
    return { solved: false, cells: [], messages: [`nothing is wrong so far; ${open.length} cells are open`] };
  },

  /** The first step of the whole way that is not on the board: all before it are, so its reasons hold. */
  on_next_hint(given) {
    const wrong = this.wrong(given);
    if (wrong.length) {
      const text = "these contradict each other: marks that differ from the only solution";
      return { hint: { cells: [], because: wrong.map(([r, c]) => [r, c]), near: [], text } };
    }
    const marks = new Map(given.marks.map(([r, c, value]) => [`${r} ${c}`, value]));
    const step = this.of(given.puzzle).hints.find(({ cells }) => cells.some(([r, c, value]) => marks.get(`${r} ${c}`) !== value));
    return { hint: step || null };
  },

  on_written({ puzzle, to }) {
    const { address } = this.of(puzzle);
    if (to !== "puzzlink" || !address) throw new Error(NO_SERVER);
    return { data: btoa(address), suffix: ".txt", address };
  },

  /** The events of the recorded run. */
  async on_run({ puzzle }) {
    const { run } = this.of(puzzle);
    if (!run) throw new Error(NO_SERVER);
    if (!this.runs.has(run))
      await new Promise((done, failed) => {
        const script = make("script", { src: run, onload: done, onerror: () => failed(new Error(`${run} is missing`)) });
        document.head.append(script);
      });
    return this.runs.get(run);
  },
};
