// The drawing of Theorem 3: points of the plane, where the negative center may start, and the rounds from there.
import { join, make, mark, movable, set } from "./svg.js";

const [right, top] = [12, 6]; // the plane ends there, and at −right and −top
const kinds = ["labeled", "hidden", "negative"];
const kindNames = { labeled: "labeled positive", hidden: "hidden positive", negative: "negative" };

// PlaneDrawing shows a plane of state; changed is called when a point was moved, removed or chosen.
export class PlaneDrawing {
  constructor(parent, changed) {
    this.changed = changed;
    this.svg = make("svg", {
      class: "plane", viewBox: `${-right - 1.6} ${-top - 1.6} ${2 * right + 3.2} ${2 * top + 3.2}`, role: "group", "aria-label": "Points of the plane",
    });
    make("path", { class: "axis", d: `M${-right - 1} 0 H${right + 1} M0 ${-top - 1} V${top + 1}` }, this.svg);
    for (let x = -right; x <= right; x += 2) {
      for (let y = -top; y <= top; y += 2) make("circle", { class: "dot", r: 0.07, cx: x, cy: y }, this.svg);
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
          transform: `translate(${x} ${-y})`,
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
      const r = 2 * Math.sqrt(probability.value);
      set(halo, { transform: `translate(${x} ${-y})` });
      set(halo.firstChild, { class: point === start ? "halo start" : "halo", r });
      set(halo.lastChild, { y: -Math.max(r, 0.5) - 0.45 });
      halo.lastChild.textContent = `${(100 * probability.value).toFixed(probability.value < 0.01 ? 1 : 0)} %`;
    });
    join(this.spokes, now ? points : [], () => make("line"), (spoke, [x, y], i) => {
      const positive = now.near[i] || i < plane.labeled.length;
      const [cx, cy] = positive ? now.positive : now.negative;
      set(spoke, { class: `spoke ${positive ? "positive" : "negative"}`, x1: x, y1: -y, x2: cx, y2: -cy });
    });
    const sides = now ? ["positive", "negative"] : [];
    join(this.paths, sides, () => make("polyline", { class: "path" }), (path, side) => {
      set(path, { points: rounds.map((r) => `${r[side][0]},${-r[side][1]}`).join(" ") });
    });
    join(this.centers, sides, () => make("path", { d: "M-0.42 -0.42 L0.42 0.42 M0.42 -0.42 L-0.42 0.42" }), (center, side) => {
      set(center, { class: `center ${side}`, transform: `translate(${now[side][0]} ${-now[side][1]})` });
    });
  }

  #point(kind, i) {
    const point = make("g", { class: `point ${kind}`, tabindex: 0, role: "button", "aria-roledescription": "movable point" });
    make("circle", { class: "grip", r: 0.85 }, point);
    mark(kind !== "negative", 0.36, point);
    const put = (x, y) => {
      const inside = (v, end) => Math.max(-end, Math.min(end, Math.round(v)));
      const [px, py] = this.plane[kind][i];
      const next = [inside(x, right), inside(y, top)];
      if (next[0] === px && next[1] === py) return;
      this.plane[kind][i] = next;
      this.changed();
    };
    movable(point, this.svg, {
      move: put,
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
