"use strict";
/* What is seen of a board: all of it, or a part that is enlarged, with the clues beside it in view. */

const MOST = 8; // how many times a board can be enlarged
const LEAST_CELLS = 4; // of each side, which are seen at least
const STEP = 1.5; // by a key
const TWICE_MS = 300; // between the taps of a double tap
let boards = 0;

class View {
  /** `paper` has the cells, below the grid; `sides`: widths of the bands of clues, `size`: of the grid, in the board's units. */
  constructor(svg, paper, sides, size) {
    Object.assign(this, { svg, paper, sides, size, scale: 1, x: 0, y: 0 });
    this.full = [size[0] + sides.left + sides.right, size[1] + sides.top + sides.bottom];
    const names = ["grid", "rows", "columns"].map((name) => `${name}-${boards}`);
    boards++;
    this.windows = names.map((id) => draw(draw(svg, "clipPath", { id }), "rect"));
    this.clipped = [];
    const group = (k) => {
      const outer = draw(svg, "g");
      this.clipped.push([outer, `url(#${names[k]})`]);
      return draw(outer, "g");
    };
    this.grid = group(0);
    this.bands = { left: group(1), right: group(1), top: group(2), bottom: group(2) };
    this.over = group(0);
    this.fingers = new Map();
    this.listen();
    this.apply();
  }

  /** Put the parts where they are seen. */
  apply() {
    const { left, right, top, bottom } = this.sides;
    const beside = [left + right, top + bottom];
    const most = Math.min(MOST, ...this.full.map((n, axis) => n / (beside[axis] + LEAST_CELLS * UNIT)));
    this.scale = Math.max(1, Math.min(this.scale, most));
    const [width, height] = this.full.map((n) => n / this.scale);
    this.seen = [width - beside[0], height - beside[1]];
    const within = (at, axis) => Math.max(0, Math.min(at, this.size[axis] - this.seen[axis]));
    [this.x, this.y] = [within(this.x, 0), within(this.y, 1)];
    this.svg.setAttribute("viewBox", `${-left} ${-top} ${width} ${height}`);
    const [w, h] = this.seen;
    [[-1, -1, w + 2, h + 2], [-left, -1, width, h + 2], [-1, -top, w + 2, height]].forEach((box, k) =>
      ["x", "y", "width", "height"].forEach((name, i) => this.windows[k].setAttribute(name, box[i])));
    const move = (g, x, y) => g.setAttribute("transform", `translate(${x} ${y})`);
    for (const g of [this.grid, this.over]) move(g, -this.x, -this.y);
    move(this.bands.left, 0, -this.y);
    move(this.bands.right, w - this.size[0], -this.y);
    move(this.bands.top, -this.x, 0);
    move(this.bands.bottom, -this.x, h - this.size[1]);
    const put = (element, whole, x, y, ...size) => {
      const shares = [x / whole[0], y / whole[1], size[0] / whole[0], size[1] / whole[1]];
      ["left", "top", "width", "height"].forEach((name, i) => (element.style[name] = `${100 * shares[i]}%`));
    };
    put(this.paper, [width, height], left, top, w, h);
    put(this.paper.firstChild, this.seen, -this.x, -this.y, ...this.size);
    this.svg.classList.toggle("zoomed", this.scale > 1);
    for (const [outer, window] of this.clipped) // which takes time to draw
      if (this.scale > 1) outer.setAttribute("clip-path", window);
      else outer.removeAttribute("clip-path");
  }

  /** Where a point of the screen is in the grid, in its units, and whether the grid is seen there. */
  locate(clientX, clientY) {
    const point = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const inside = point.x >= 0 && point.y >= 0 && point.x < this.seen[0] && point.y < this.seen[1];
    return { x: point.x + this.x, y: point.y + this.y, inside };
  }

  /** Enlarge so many times, and keep what is at a point of the screen there. */
  zoom(by, clientX, clientY) {
    const before = this.locate(clientX, clientY);
    this.scale *= by;
    this.apply();
    const after = this.locate(clientX, clientY);
    this.pan(before.x - after.x, before.y - after.y);
  }

  pan(x, y) {
    this.x += x;
    this.y += y;
    this.apply();
  }

  /** Larger or smaller by a key, around the middle; 0 for all of it. */
  key(key) {
    const box = this.svg.getBoundingClientRect();
    const by = { "+": STEP, "=": STEP, "-": 1 / STEP, 0: 1 / MOST }[key];
    this.zoom(by, box.x + box.width / 2, box.y + box.height / 2);
  }

  /** See a cell of the grid, by its corner. */
  reveal(x, y) {
    const into = (at, from, length) => Math.max(Math.min(from, at), at + UNIT - length);
    const [before, after] = [[this.x, this.y], [into(x, this.x, this.seen[0]), into(y, this.y, this.seen[1])]];
    if (before.some((n, axis) => n !== after[axis])) this.pan(after[0] - before[0], after[1] - before[1]);
  }

  listen() {
    const { svg } = this;
    const units = () => this.full[0] / this.scale / svg.getBoundingClientRect().width; // of a pixel
    svg.addEventListener("wheel", (event) => {
      if (event.ctrlKey) this.zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
      else if (this.scale > 1) this.pan(event.deltaX * units(), event.deltaY * units());
      else return;
      event.preventDefault();
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "touch") return;
      this.fingers.set(event.pointerId, event);
      this.isTap = this.fingers.size === 1;
      if (this.fingers.size === 2) this.onpinch?.();
    });
    svg.addEventListener("pointermove", (event) => {
      if (!this.fingers.has(event.pointerId)) return;
      const before = [...this.fingers.values()];
      this.fingers.set(event.pointerId, event);
      const now = [...this.fingers.values()];
      const middle = (points) => ["clientX", "clientY"].map((at) => points.reduce((sum, p) => sum + p[at], 0) / points.length);
      const apart = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      const [[x0, y0], [x1, y1]] = [middle(before), middle(now)];
      if (now.length === 2) this.zoom(apart(now) / Math.max(1, apart(before)), x1, y1);
      if (now.length === 2 || (this.scale > 1 && !svg.classList.contains("drag")))
        this.pan((x0 - x1) * units(), (y0 - y1) * units());
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave"])
      svg.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
    svg.addEventListener("pointerup", (event) => {
      if (event.pointerType !== "touch" || svg.classList.contains("drag") || !this.isTap) return;
      if (event.timeStamp - (this.tapped || -1e9) < TWICE_MS) this.zoom(this.scale > 1 ? 1 / MOST : 3, event.clientX, event.clientY);
      this.tapped = event.timeStamp;
    });
  }
}
