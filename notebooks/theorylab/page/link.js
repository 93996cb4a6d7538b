// A case as the fragment of an address, as in #t=1&pos=0,30&neg=180&pi=0.5&m=2&u=1&tau=1&loss=SCL-PU, and back.
// What a fragment leaves out is taken from the first case of its theorem.

const dials = { pi: "prior", m: "labeled", u: "unlabeled", tau: "tau", rho: "same_view" };
const terms = { labeled: "labeled", unlabeled: "unlabeled", with: "with", repel: "repel" };
const shares = { mix: "mix", weight: "weight" };
const kinds = { lab: "labeled", hid: "hidden", neg: "negative" };

// What a loss of one's own starts from: MCL with half of each.
export const ownLoss = {
  name: "own", labeled: "LabeledMean", unlabeled: "UnlabeledMean", with: "OwnViews", mix: 0.5, weight: 1, repel: "LogPartition",
};

// parse returns the case of a fragment: { theorem, circle } or { theorem, plane, start, round }.
export function parse(fragment, presets) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const theorem = [1, 2, 3, 4].includes(Number(given.get("t"))) ? Number(given.get("t")) : 1;
  const first = structuredClone(presets.find((p) => p.theorem === theorem));
  if (first.plane) {
    for (const [short, kind] of Object.entries(kinds)) {
      if (given.has(short)) first.plane[kind] = given.get(short).split(";").filter(Boolean).map(place).filter(Boolean);
    }
    return { theorem, plane: first.plane, start: whole(given.get("start"), -1), round: whole(given.get("round"), 0) };
  }
  const circle = first.circle;
  for (const [short, name] of [["pos", "positive"], ["neg", "negative"]]) {
    if (given.has(short)) circle[name] = given.get(short).split(",").filter(Boolean).map(Number).filter(Number.isFinite);
  }
  for (const [short, name] of Object.entries(dials)) {
    if (given.get(short) && Number.isFinite(Number(given.get(short)))) circle[name] = Number(given.get(short));
  }
  circle.labeled = Math.round(circle.labeled);
  circle.unlabeled = Math.round(circle.unlabeled);
  if (given.get("loss") === "own") {
    circle.loss = { ...ownLoss };
    for (const [short, name] of Object.entries(terms)) if (given.has(short)) circle.loss[name] = given.get(short);
    for (const [short, name] of Object.entries(shares)) if (given.get(short)) circle.loss[name] = Number(given.get(short));
  } else if (given.has("loss")) {
    circle.loss = { name: given.get("loss") };
  }
  return { theorem, circle };
}

// format returns the fragment of a case.
export function format(state) {
  const parts = [`t=${state.theorem}`];
  if (state.plane) {
    for (const [short, kind] of Object.entries(kinds)) parts.push(`${short}=${state.plane[kind].join(";")}`);
    parts.push(`start=${state.start}`, `round=${state.round}`);
    return "#" + parts.join("&");
  }
  const { circle } = state;
  parts.push(`pos=${circle.positive}`, `neg=${circle.negative}`);
  for (const [short, name] of Object.entries(dials)) parts.push(`${short}=${circle[name]}`);
  parts.push(`loss=${circle.loss.name}`);
  if (circle.loss.name === "own") {
    for (const [short, name] of Object.entries({ ...terms, ...shares })) parts.push(`${short}=${circle.loss[name]}`);
  }
  return "#" + parts.join("&");
}

// place reads a point such as "−3,2"; the second coordinate may be left out.
function place(text) {
  const [x, y = 0] = text.split(",").map(Number);
  return Number.isInteger(x) && Number.isInteger(y) ? [x, y] : null;
}

function whole(text, otherwise) {
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : otherwise;
}
