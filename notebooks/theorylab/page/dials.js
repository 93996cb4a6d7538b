// The column of dials.
import { ownLoss } from "./link.js";

const losses = ["ssCL", "PUCL", "SCL-PU", "SCL", "puNCE", "DCL", "own"];
const attractions = {
  OwnViews: "own other view", LabeledMean: "labeled rows", UnlabeledMean: "unlabeled rows", ClassMean: "rows of its class",
  Nothing: "nothing",
};
const repulsions = {
  LogPartition: "log partition", "N-pair": "N-pair: one view of the others", DCL: "debiased, DCL with τ⁺ = π", Nothing: "nothing",
};

const numbers = [
  { name: "prior", label: "class prior π", min: 0, max: 1, step: 0.01 },
  { name: "labeled", label: "labeled examples m", min: 0, max: 5, step: 1 },
  { name: "unlabeled", label: "unlabeled examples u", min: 0, max: 5, step: 1 },
  { name: "tau", label: "temperature τ", min: 0.1, max: 2, step: 0.05 },
  { name: "same_view", label: "same view twice, probability ρ", min: 0, max: 1, step: 0.05 },
];

// Dials is a form that turns the numbers and the loss of a case; changed is called when one was turned.
export class Dials {
  constructor(form, presets, { changed, opened }) {
    this.form = form;
    this.presets = presets;
    this.changed = changed;
    this.opened = opened;
  }

  // build makes the dials of a case, new ones for another theorem or another kind of loss.
  build(state) {
    this.state = state;
    const offered = this.presets.filter((p) => p.theorem === state.theorem);
    const names = { "": "choose …", ...Object.fromEntries(offered.map((p, i) => [i, p.name])) };
    this.form.replaceChildren(this.#select("cases", names, "", (value) => value !== "" && this.opened(offered[Number(value)])));
    if (state.plane) this.#plane(state);
    else this.#circle(state.circle);
  }

  #circle(circle) {
    for (const dial of numbers) this.form.append(this.#range(dial, circle));
    const names = Object.fromEntries(losses.map((name) => [name, name === "own" ? "a loss of one’s own" : name]));
    this.form.append(this.#select("loss", names, circle.loss.name, (name) => {
      circle.loss = name === "own" ? { ...ownLoss } : { name };
      this.build(this.state);
      this.form.querySelector("[name=loss]").focus();
      this.changed();
    }));
    if (circle.loss.name !== "own") return;
    const terms = document.createElement("fieldset");
    const term = (field, label, options) => this.#select(label, options, circle.loss[field], (value) => {
      circle.loss[field] = value;
      this.changed();
    }, field);
    terms.append(
      term("labeled", "labeled anchors attracted by", attractions),
      term("unlabeled", "unlabeled anchors attracted by", attractions),
      this.#range({ name: "mix", label: "share λ of these", min: 0, max: 1, step: 0.05 }, circle.loss),
      term("with", "1 − λ of, for all anchors", attractions),
      this.#range({ name: "weight", label: "weight of the attraction", min: 0, max: 3, step: 0.1 }, circle.loss),
      term("repel", "repelled by", repulsions),
    );
    this.form.append(terms);
  }

  #plane(state) {
    this.start = this.#select("start of the negative center", {}, "", (value) => {
      state.start = Number(value);
      state.round = 0;
      this.changed(false);
    }, "start").querySelector("select");
    const round = { name: "round", label: "round of two-means", min: 0, max: 1, step: 1 };
    this.form.append(this.start.parentElement, this.#range(round, state, false));
  }

  // starts offers the starts of an answer, and the rounds of the one that is looked at.
  starts(starts, names) {
    const { state } = this;
    if (!this.start) return;
    if (!starts.some((s) => s.point === state.start)) { // the likeliest
      state.start = starts.reduce((best, s) => (s.probability.value > best.probability.value ? s : best)).point;
      state.round = 0;
    }
    this.start.replaceChildren(...starts.map(({ point, probability }) =>
      new Option(`${names[point]}, ${(100 * probability.value).toFixed(1)} %`, point, false, point === state.start)));
    const last = starts.find((s) => s.point === state.start).rounds.length - 1;
    const round = this.form.querySelector("[name=round]");
    state.round = Math.max(0, Math.min(state.round, last));
    round.max = last;
    round.value = state.round;
    round.disabled = last === 0;
    round.parentElement.querySelector("output").textContent = `${state.round} of ${last}`;
  }

  #range({ name, label, min, max, step }, holder, ask = true) {
    const element = document.createElement("label");
    const [text, output, input] = ["span", "output", "input"].map((name) => document.createElement(name));
    text.textContent = label;
    Object.assign(input, { type: "range", name, min: Math.min(min, holder[name]), max: Math.max(max, holder[name]), step });
    input.value = holder[name];
    output.textContent = holder[name];
    input.addEventListener("input", () => {
      holder[name] = Number(input.value);
      output.textContent = holder[name];
      this.changed(ask);
    });
    element.append(text, output, input);
    return element;
  }

  #select(label, options, chosen, choose, name = label) {
    const element = document.createElement("label");
    const [text, select] = [document.createElement("span"), document.createElement("select")];
    text.textContent = label;
    select.name = name;
    select.append(...Object.entries(options).map(([value, shown]) => new Option(shown, value, false, value === String(chosen))));
    select.addEventListener("change", () => choose(select.value));
    element.append(text, select);
    return element;
  }
}
