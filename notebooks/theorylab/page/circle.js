// The drawing of Theorems 1, 2 and 4: points on the unit circle, with steps of descent.
import { head, join, make, mark, movable, set } from "./svg.js";

const radians = Math.PI / 180;
const radius = 100; // of the circle, in units of the drawing
const longestArrow = 55;

// onCircle returns the place of an angle, y pointing up.
const onCircle = (angle, r) => [r * Math.cos(angle * radians), r * Math.sin(angle * radians)];

// CircleDrawing shows a circle of state; changed is called when a point was moved, removed or chosen.
export class CircleDrawing {
  constructor(parent, changed) {
    this.changed = changed;
    this.svg = make("svg", { viewBox: "-165 -140 330 280", role: "group", "aria-label": "Points on the unit circle" });
    head(this.svg, "head");
    make("circle", { class: "rim", r: radius }, this.svg);
    this.arrows = make("g", {}, this.svg);
    this.classes = { negative: make("g", {}, this.svg), positive: make("g", {}, this.svg) };
    parent.replaceChildren(this.svg);
  }

  // show draws the points, and the arrows of an answer to points that lay at the angles of asked.
  show(circle, gradients, asked) {
    this.circle = circle;
    for (const kind of ["positive", "negative"]) {
      join(this.classes[kind], circle[kind], (i) => this.#point(kind, i), (point, angle, i) => {
        const [x, y] = onCircle(angle, radius);
        set(point, {
          transform: `translate(${x} ${-y})`,
          "aria-label": `${kind} point ${i + 1} of ${circle[kind].length}`,
          "aria-valuenow": angle, "aria-valuetext": `${angle} degrees`,
        });
        set(point.lastElementChild, { x: -0.36 * x, y: 0.32 * y });
        point.lastElementChild.textContent = `${angle}°`;
      });
    }
    this.#showArrows(circle, gradients, asked);
  }

  #showArrows(circle, gradients, asked) {
    const angles = [...circle.positive, ...circle.negative];
    const lengths = gradients ? [...gradients.loss, ...gradients.ideal].map(([x, y]) => Math.hypot(x, y)) : [];
    const longest = Math.max(0, ...lengths);
    this.longest = longest;
    const list = [];
    if (longest > 1e-12 && gradients.loss.length === angles.length) {
      const scale = longestArrow / longest;
      for (const [kind, away] of [["loss", 0.86], ["ideal", 1.14]]) { // inside and outside, so that they do not cover each other
        angles.forEach((angle, i) => {
          const [x, y] = onCircle(angle, away * radius);
          // A gradient lies along the circle, and goes with its point until there is an answer to where that is now.
          const turn = (angle - asked[i]) * radians;
          const [gx, gy] = gradients[kind][i].map((slope) => -scale * slope);
          const [dx, dy] = [gx * Math.cos(turn) - gy * Math.sin(turn), gx * Math.sin(turn) + gy * Math.cos(turn)];
          if (Math.hypot(dx, dy) > 0.5) list.push({ kind, x, y, dx, dy });
        });
      }
    }
    join(this.arrows, list, () => make("line"), (line, { kind, x, y, dx, dy }) => {
      const tip = Math.hypot(dx, dy) > 5 ? "url(#head)" : null;
      set(line, { class: `arrow ${kind}`, x1: x, y1: -y, x2: x + dx, y2: -(y + dy), "marker-end": tip });
    });
  }

  #point(kind, i) {
    const point = make("g", { class: `point ${kind}`, tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 359 });
    make("circle", { class: "grip", r: 17 }, point);
    mark(kind === "positive", 7.5, point);
    make("text", {}, point);
    const turn = (angle) => {
      this.circle[kind][i] = ((Math.round(angle) % 360) + 360) % 360;
      this.changed();
    };
    movable(point, this.svg, {
      move: (x, y) => turn(Math.atan2(y, x) / radians),
      step: (x, y, far) => turn(this.circle[kind][i] + (y - x) * (far ? 15 : 1)),
      remove: () => this.remove(kind, i),
    });
    point.addEventListener("focus", () => { this.chosen = [kind, i]; this.changed(false); });
    return point;
  }

  // remove takes a point away, if another one of its class is left.
  remove(kind, i) {
    if (this.circle[kind].length < 2) return;
    this.circle[kind].splice(i, 1);
    this.chosen = null;
    this.changed();
  }

  // add puts a new point of a class where it is far from the others.
  add(kind) {
    const others = [...this.circle.positive, ...this.circle.negative];
    const away = (angle) => Math.min(...others.map((o) => Math.abs(((angle - o + 540) % 360) - 180)));
    let best = 0;
    for (let angle = 0; angle < 360; angle += 15) if (away(angle) > away(best)) best = angle;
    this.circle[kind].push(best);
    this.changed();
    this.classes[kind].lastElementChild.focus();
  }
}
