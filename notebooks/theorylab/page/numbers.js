// The table of numbers, and what the theorem says beside what is measured.

// write shows a number with four digits after the point.
export function write(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "object") return write(value.value); // a fraction
  const rounded = Math.abs(value) < 5e-11 ? 0 : value;
  const small = rounded !== 0 && Math.abs(rounded) < 5e-5;
  const digits = Number.isInteger(rounded) ? 0 : 4;
  return (small ? rounded.toExponential(2) : rounded.toFixed(digits)).replace("-", "−");
}

// plain returns the float64 of a number or of a fraction.
const plain = (value) => (value !== null && typeof value === "object" ? value.value : value);

// at returns what stands at a place of the answers, such as "numbers.loss.bias"; a number stands for itself.
export function at(answers, name) {
  if (typeof name !== "string") return name;
  return name.split(".").reduce((inside, field) => inside?.[field], answers);
}

// cell marks an element with the number that it shows and where that is from.
function cell(element, answers, name) {
  const value = at(answers, name);
  element.textContent = name === null ? "" : write(value);
  if (typeof name === "string") {
    element.dataset.name = name;
    element.dataset.value = plain(value ?? null) ?? "";
    if (value?.exact?.includes("/")) element.title = value.exact;
  }
  return element;
}

// table fills the table of a theorem.
export function table(element, theorem, loss, answers) {
  const head = document.createElement("tr");
  head.append(document.createElement("th"), ...theorem.columns(loss).map((text) => {
    const th = document.createElement("th");
    th.scope = "col";
    th.textContent = text;
    return th;
  }));
  const body = theorem.rows.map(({ label, names }) => {
    const row = document.createElement("tr");
    const th = document.createElement("th");
    th.scope = "row";
    th.textContent = label;
    row.append(th, ...names.map((name) => {
      const td = cell(document.createElement("td"), answers, name);
      td.classList.toggle("main", name === theorem.main);
      return td;
    }));
    return row;
  });
  const [thead, tbody] = [document.createElement("thead"), document.createElement("tbody")];
  thead.append(head);
  tbody.append(...body);
  element.replaceChildren(thead, tbody);
}

const relations = {
  "=": (x, y) => close(x, y),
  "<": (x, y) => x < y && !close(x, y),
  "≤": (x, y) => x <= y || close(x, y),
  "≥": (x, y) => x >= y || close(x, y),
};

function close(x, y) { return Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(x), Math.abs(y)); }

// claims fills the list of what the theorem says. The words of theorems.js are this page's own, so that they may hold markup.
export function claims(element, theorem, state, answers) {
  element.replaceChildren(...theorem.claims.map((claim) => {
    const card = document.createElement("div");
    card.className = "claim";
    card.innerHTML = `<h2>${claim.tag}</h2><p class="formula">${claim.formula}</p><p class="source">${claim.source}</p>`;
    const list = document.createElement("dl");
    const values = [claim.left, claim.right].map(([label, name]) => {
      const pair = document.createElement("div");
      pair.innerHTML = `<dt>${label}</dt>`;
      pair.append(cell(document.createElement("dd"), answers, name));
      list.append(pair);
      return plain(at(answers, name) ?? null);
    });
    list.append(verdict(claim, state, values));
    card.append(list);
    return card;
  }));
}

// verdict says whether the measured number is what the claim says, in words and by a sign.
function verdict(claim, state, [left, right]) {
  const element = document.createElement("span");
  const outside = claim.when(state);
  const known = left !== null && right !== null;
  const holds = known && relations[claim.relation](left, right);
  element.className = "verdict " + (outside || !known ? "out" : holds ? "yes" : "no");
  const words = holds ? `✓ ${claim.yes ?? "holds here"}` : `✗ ${claim.no ?? "fails here"}`;
  element.textContent = outside || (known ? words : "not defined here");
  return element;
}
