// The drawing of Theorem 3: points of the plane, where the negative center may start, and the rounds from there.
import { join, make, mark, movable, set } from "./svg.js";

const [right, top] = [12, 6]; // the plane ends there, and at −right and −top
const unit = 20; // of the plane, in units of the drawing
const kinds = ["labeled", "hidden", "negative"];
const kindNames = { labeled: "labeled positive", hidden: "hidden positive", negative: "negative" };

// at returns the transformation to a place of the plane.
const at = (x, y) => `translate(${unit * x} ${-unit * y})`;

// PlaneDrawing shows a plane of state; changed is called when a point was moved, removed or chosen.
export class PlaneDrawing {
  constructor(parent, changed) {
    this.changed = changed;
    this.svg = make("svg", {
      class: "plane", viewBox: [-right - 1.6, -top - 1.6, 2 * right + 3.2, 2 * top + 3.2].map((x) => unit * x).join(" "),
      role: "group", "aria-label": "Points of the plane",
    });
    const [far, high] = [unit * (right + 1), unit * (top + 1)];
    make("path", { class: "axis", d: `M${-far} 0 H${far} M0 ${-high} V${high}` }, this.svg);
    for (let x = -right; x <= right; x += 2) {
      for (let y = -top; y <= top; y += 2) make("circle", { class: "dot", r: 1.2, cx: unit * x, cy: unit * y }, this.svg);
    }
    for (const name of ["halos", "spokes", "paths", "centers"]) this[name] = make("g", {}, this.svg);
    this.classes = Object.fromEntries(kinds.map((kind) => [kind, make("g", {}, this.svg)]));
    parent.replaceChildren(this.svg);
  }

  // show draws the points, and what an answer says of the start and the round that are looked at.
  show(plane, seeding, start, round) {
    this.plane = plane;
    for (const kind of kinds) {
      join(this.classes[kind], plane[kind], (i) => this.#point(kind, i), (point, [x, y], i) => {
        set(point, {
          transform: at(x, y),
          "aria-label": `${kindNames[kind]} point ${i + 1} of ${plane[kind].length}, at ${x}, ${y}`.replaceAll("-", "−"),
        });
      });
    }
    const points = kinds.flatMap((kind) => plane[kind]);
    const unlabeled = [...plane.hidden, ...plane.negative];
    const chosen = seeding?.starts.find((s) => s.point === start);
    const rounds = chosen ? chosen.rounds.slice(0, round + 1) : [];
    const now = rounds.at(-1);

    join(this.halos, seeding?.starts ?? [], () => {
      const halo = make("g");
      make("circle", {}, halo);
      make("text", {}, halo);
      return halo;
    }, (halo, { point, probability }) => {
      const [x, y] = unlabeled[point];
      const r = 36 * Math.sqrt(probability.value);
      set(halo, { transform: at(x, y) });
      set(halo.firstChild, { class: point === start ? "halo start" : "halo", r });
      set(halo.lastChild, { y: -Math.max(r, 9) - 9 });
      halo.lastChild.textContent = `${(100 * probability.value).toFixed(probability.value < 0.01 ? 1 : 0)} %`;
    });
    join(this.spokes, now ? points : [], () => make("line"), (spoke, [x, y], i) => {
      const positive = now.near[i] || i < plane.labeled.length;
      const [cx, cy] = positive ? now.positive : now.negative;
      const side = positive ? "positive" : "negative";
      set(spoke, { class: `spoke ${side}`, x1: unit * x, y1: -unit * y, x2: unit * cx, y2: -unit * cy });
    });
    const sides = now ? ["positive", "negative"] : [];
    join(this.paths, sides, () => make("polyline", { class: "path" }), (path, side) => {
      set(path, { points: rounds.map((r) => `${unit * r[side][0]},${-unit * r[side][1]}`).join(" ") });
    });
    join(this.centers, sides, () => make("path", { d: "M-8 -8 L8 8 M8 -8 L-8 8" }), (center, side) => {
      set(center, { class: `center ${side}`, transform: at(...now[side]) });
    });
  }

  #point(kind, i) {
    const point = make("g", {
      class: kind === "negative" ? "point negative" : `point positive ${kind}`, tabindex: 0,
      role: "button", "aria-roledescription": "movable point",
    });
    make("circle", { class: "grip", r: 17 }, point);
    mark(kind !== "negative", 7, point);
    const put = (x, y) => {
      const inside = (v, end) => Math.max(-end, Math.min(end, Math.round(v)));
      const [px, py] = this.plane[kind][i];
      const next = [inside(x, right), inside(y, top)];
      if (next[0] === px && next[1] === py) return;
      this.plane[kind][i] = next;
      this.changed();
    };
    movable(point, this.svg, {
      move: (x, y) => put(x / unit, y / unit),
      step: (dx, dy, far) => put(this.plane[kind][i][0] + dx * (far ? 5 : 1), this.plane[kind][i][1] + dy * (far ? 5 : 1)),
      remove: () => this.remove(kind, i),
    });
    point.addEventListener("focus", () => { this.chosen = [kind, i]; this.changed(false); });
    return point;
  }

  // remove takes a point away.
  remove(kind, i) {
    this.plane[kind].splice(i, 1);
    this.chosen = null;
    this.changed();
  }

  // add puts a new point of a kind at a place near the middle where none lies.
  add(kind) {
    const taken = new Set(kinds.flatMap((k) => this.plane[k]).map(String));
    let place = [0, 0];
    for (let i = 0; taken.has(String(place)); i++) place = [(i % 9) - 4, 3 - Math.floor(i / 9)];
    this.plane[kind].push(place);
    this.changed();
    this.classes[kind].lastElementChild.focus();
  }
}
