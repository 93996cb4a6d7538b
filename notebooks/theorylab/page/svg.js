// Small helpers for drawings.

const space = "http://www.w3.org/2000/svg";

// make returns an SVG element with attributes.
export function make(name, attributes = {}, parent = null) {
  const element = document.createElementNS(space, name);
  set(element, attributes);
  parent?.append(element);
  return element;
}

// set sets attributes; those that are null are taken away.
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

// join gives parent one child for each of the data, made by create and kept from one time to the next, so that a point that is
// being dragged or has the focus stays the same element; update sets what has changed.
export function join(parent, data, create, update) {
  while (parent.children.length > data.length) parent.lastElementChild.remove();
  data.forEach((datum, i) => {
    const element = parent.children[i] ?? parent.appendChild(create(i));
    update(element, datum, i);
  });
}

// movable has a point follow the pointer, which move gets in the coordinates of the drawing, and the keys: step gets the
// directions of an arrow key, larger with Shift, and remove is called by Delete.
export function movable(point, svg, { move, step, remove }) {
  point.addEventListener("pointerdown", (event) => {
    point.setPointerCapture(event.pointerId);
    point.focus({ preventScroll: true });
    event.preventDefault();
  });
  point.addEventListener("pointermove", (event) => {
    if (!point.hasPointerCapture(event.pointerId)) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    move(at.x, -at.y);
  });
  point.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (direction) step(...direction, event.shiftKey);
    else if (event.key === "Delete" || event.key === "Backspace") remove();
    else return;
    event.preventDefault();
  });
}

// head defines the tip of arrows in a drawing.
export function head(svg, id) {
  const marker = make("marker", {
    id, class: "head", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto",
  }, make("defs", {}, svg));
  make("path", { d: "M0 0 L10 5 L0 10 z" }, marker);
}

// mark draws a disc for a positive point and a diamond for a negative one.
export function mark(positive, size, parent) {
  const d = size * 1.55;
  return positive
    ? make("circle", { class: "mark", r: size }, parent)
    : make("path", { class: "mark", d: `M0 ${-d} L${d} 0 L0 ${d} L${-d} 0 z` }, parent);
}
