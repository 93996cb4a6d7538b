// The page: a case from the address, its drawing, its dials, and the answers of the worker.
import { Asker } from "./ask.js";
import { CircleDrawing } from "./circle.js";
import { Dials } from "./dials.js";
import { format, parse } from "./link.js";
import { at, claims, table, write } from "./numbers.js";
import { PlaneDrawing } from "./plane.js";
import { theorems } from "./theorems.js";

const find = (id) => document.getElementById(id);
const presets = JSON.parse(find("presets").textContent);

let state; // the case: { theorem, circle } or { theorem, plane, start, round }
let version = 0; // counts the changes of what is asked
let answers = {}; // to the case as it is, or as it was a moment ago
let turned = 0; // when a dial was turned last
let drawing;
let written; // the fragment that the page has written itself

const dials = new Dials(find("dials"), presets, { changed, opened: (preset) => open(parse(`t=${preset.theorem}`, [preset])) });
const asker = new Asker({ ready, answered, failed });

// open shows another case.
function open(next) {
  const other = !state || Boolean(state.plane) !== Boolean(next.plane);
  state = next;
  answers = {};
  if (other) drawing = new (state.plane ? PlaneDrawing : CircleDrawing)(find("figure"), changed);
  drawing.chosen = null;
  const { statement, source } = theorems[state.theorem];
  find("statement").textContent = statement + " ";
  find("statement").append(Object.assign(document.createElement("span"), { className: "source", textContent: `(${source})` }));
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#t=${state.theorem}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  dials.build(state);
  changed();
}

// changed is called when a point was moved or a dial was turned; ask is false where no new answer is needed.
function changed(ask = true) {
  if (ask) {
    version++;
    turned = performance.now();
    if ("failed" in document.body.dataset) answers = {}; // nobody answers any more, and those there are belong to another case
    else inquire();
  }
  written = format(state);
  history.replaceState(null, "", written);
  draw();
}

// inquire asks all that the page shows of the case.
function inquire() {
  find("message").textContent = "";
  if (document.body.dataset.state !== "still") document.body.dataset.state = "busy";
  asker.ask(theorems[state.theorem].asks.map((what) => ({ id: version, ask: what, ...question() })));
}

// question returns what is asked about.
function question() {
  if (state.plane) return { plane: structuredClone(state.plane) };
  return { circle: { ...structuredClone(state.circle), theorem: state.theorem } };
}

function draw() {
  if (state.plane) {
    const fits = answers.seeding && answers.version === version;
    if (fits) dials.starts(answers.seeding.starts, pointNames());
    drawing.show(state.plane, fits ? answers.seeding : null, state.start, state.round);
    const start = fits && answers.seeding.starts.find((s) => s.point === state.start);
    answers.chosen = start ? start.rounds[state.round] : null;
  } else {
    drawing.show(state.circle, answers.gradients, answers.asked);
  }
  numbers();
  tools();
  find("legend").innerHTML = legend();
}

function numbers() {
  const theorem = theorems[state.theorem];
  const loss = state.circle?.loss.name === "own" ? "own loss" : state.circle?.loss.name;
  table(document.querySelector("#numbers table"), theorem, loss, answers);
  claims(find("claims"), theorem, state, answers);
}

// pointNames names the unlabeled points, as the list of starts does.
function pointNames() {
  const name = (kind) => ([x, y], i) => `${kind} ${i + 1} at (${x}, ${y})`.replaceAll("-", "−");
  return [...state.plane.hidden.map(name("hidden")), ...state.plane.negative.map(name("negative"))];
}

// tools offers to add points, and to take the chosen one away.
function tools() {
  const kinds = state.plane
    ? { labeled: "labeled positive", hidden: "hidden positive", negative: "negative" }
    : { positive: "positive", negative: "negative" };
  const bar = find("tools");
  if (bar.dataset.kinds !== Object.keys(kinds).join()) {
    bar.dataset.kinds = Object.keys(kinds).join();
    bar.replaceChildren(...Object.entries(kinds).map(([kind, name]) => button(`+ ${name}`, () => drawing.add(kind))),
      button("− chosen point", () => drawing.chosen && drawing.remove(...drawing.chosen)));
  }
  bar.lastElementChild.disabled = !drawing.chosen;
}

function button(text, click) {
  const element = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  element.addEventListener("click", click);
  return element;
}

// legend explains the signs of the drawing.
function legend() {
  const key = (inner, text) => `<span class="key"><svg viewBox="-20 -10 40 20" aria-hidden="true">${inner}</svg> ${text}</span>`;
  const disc = (kind) => `<g class="${kind}"><circle class="mark" r="7"/></g>`;
  const diamond = '<g class="negative"><path class="mark" d="M0 -9 L9 0 L0 9 L-9 0 z"/></g>';
  if (state.plane) {
    return [key(disc("positive"), "labeled positive"), key(disc("positive hidden"), "hidden positive"), key(diamond, "negative"),
      key('<circle class="halo" r="8"/>', "chance to be the start"),
      "× centers, with the points that they are charged for"].join(" ");
  }
  const length = drawing.longest > 1e-12 ? `longest ${drawing.longest.toFixed(3)}` : "both are 0";
  const line = (kind) => `<line class="arrow ${kind}" x1="-19" x2="19"/>`;
  return [key(disc("positive"), "positive"), key(diamond, "negative"), key(line("loss"), "a step of descent of the mean loss"),
    key(line("ideal"), `of the ideal loss (${length})`)].join(" ");
}

// ready: the worker can be asked. The first answer takes the place of the still picture.
function ready() {
  turned = performance.now(); // what was asked before could not be answered
  document.body.dataset.ready = Math.round(turned);
}

// answered shows an answer. One that was overtaken by a newer dial still shows numbers, pale, while the newer is under way, so
// that a point that is dragged has live ones; its gradients are dropped, since they belong to other places.
function answered(answer, request, milliseconds) {
  const current = answer.id === version;
  if (answer.error) {
    if (current) {
      answers = {};
      asker.ask([]);
      document.body.dataset.state = "error";
      find("message").textContent = answer.error.charAt(0).toUpperCase() + answer.error.slice(1) + ".";
      find("status").textContent = "";
      draw();
    }
    return;
  }
  if (!current && (!answer.numbers || request.circle.theorem !== state.theorem)) return;
  Object.assign(answers, { numbers: answer.numbers ?? answers.numbers, gradients: answer.gradients ?? answers.gradients,
    seeding: answer.seeding ?? answers.seeding, version: answer.id });
  if (answer.gradients) answers.asked = [...request.circle.positive, ...request.circle.negative];
  if (current && request.ask === theorems[state.theorem].asks.at(-1)) {
    document.body.dataset.state = "current";
    document.body.dataset.latency = Math.round(performance.now() - turned);
    const { main, mainName } = theorems[state.theorem];
    const of = answers.numbers ? `${answers.numbers.batches} batches` : `${answers.seeding.starts.length} starts`;
    const shown = `${mainName} ${write(at(answers, main))}`; // for those who hear the page, too
    find("status").textContent = `${shown}; exact, over ${of}, answered in ${document.body.dataset.latency} ms.`;
  } else if (document.body.dataset.state === "still") {
    document.body.dataset.state = "busy";
  }
  document.body.dataset.first ??= Math.round(performance.now());
  document.body.dataset.milliseconds = Math.round(milliseconds);
  draw();
}

// failed leaves the still picture, or what was answered of the case that is set, and says why.
function failed(error) {
  const why = `The program of the lab does not run here (${error}), so the page stands still. It needs WebAssembly, ` +
    "module workers and a file server; a newer browser may do.";
  document.body.dataset.failed = "";
  if (document.body.dataset.state === "still") {
    find("why").textContent = why;
    return;
  }
  find("message").textContent = why;
  find("status").textContent = "";
  if (document.body.dataset.state === "busy") answers = {};
  document.body.dataset.state = "error";
  draw();
}

find("copy").addEventListener("click", async () => {
  const say = (text) => { find("copy").textContent = text; setTimeout(() => { find("copy").textContent = "Copy link"; }, 1500); };
  try {
    await navigator.clipboard.writeText(location.href);
    say("Copied");
  } catch { // a browser may refuse; the address bar holds the link at any rate
    say("See the address bar");
  }
});
addEventListener("hashchange", () => location.hash !== written && open(parse(location.hash, presets)));
open(parse(location.hash, presets));
