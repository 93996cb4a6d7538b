// What is said and shown of each theorem. Names such as "numbers.loss.bias" are places in the answers.

const isLoss = (...names) => ({ circle }) => names.includes(circle.loss.name) ? "" : `is about ${names.join(" and ")}`;
const independent = ({ circle }) => circle.same_view === 0 ? "" : "needs independent views, ρ = 0";
const labels = ({ circle }) => circle.labeled > 0 ? "" : "needs labeled examples";
const all = (...tests) => (state) => tests.map((test) => test(state)).find(Boolean) ?? "";
const positiveKappa = ({ circle }) => circle.same_view > 0 && circle.labeled > 1 ? "" : "κ = 0 here, so the biases are equal";
const always = () => "";

const moments = (...columns) => [
  ["mean attraction", "attraction"], ["mean log partition", "log_partition"], ["mean loss", "loss"],
].map(([label, field]) => ({ label, names: columns.map((c) => c(field)) }));

const ofLoss = (field) => `numbers.loss.${field}`;
const ofIdeal = (field) => `numbers.ideal.${field}`;
const ofBaseline = (field) => `numbers.baseline.${field}`;
const biases = { attraction: "attraction_bias", log_partition: "partition_bias", loss: "bias" };

export const theorems = {
  1: {
    asks: ["numbers", "gradients"],
    statement: `A loss that takes unlabeled examples for negatives misses the ideal loss. The theorem gives its bias by the
      proximities of the classes; that is a part of the bias of the attraction alone, in large batches, and the log
      partition adds more.`,
    source: "Theorem 1, losses (3) and (5)",
    columns: (loss) => [loss, "ideal", "difference"],
    rows: [
      ...moments(ofLoss, ofIdeal, (field) => `numbers.loss.${biases[field]}`),
      { label: "variance of the loss", names: ["numbers.loss.variance", null, null] },
    ],
    main: "numbers.loss.bias", mainName: "bias of the loss",
    claims: [
      {
        tag: "as printed", source: "Theorem 1",
        when: all(isLoss("SCL-PU"), independent), relation: "=",
        formula: "E[L<sub>SCL-PU</sub>] − L* = π(1−π)/(1+γ) · [2μ<sub>PN</sub> − (μ<sub>P</sub> + μ<sub>N</sub>)]",
        left: ["measured bias", "numbers.loss.bias"], right: ["formula", "numbers.formulas.theorem1"],
      },
      {
        tag: "what holds, for the attraction", source: "proof of Theorem 1, for batches of any size",
        when: all(isLoss("SCL-PU"), independent), relation: "=",
        formula: "(α−π)(μ<sub>P</sub> − μ<sub>N</sub>) + " +
          "u/b · (2u−2)/(2u−1) · π(1−π)[2μ<sub>PN</sub> − (μ<sub>P</sub> + μ<sub>N</sub>)]",
        left: ["measured", "numbers.loss.attraction_bias"], right: ["formula", "numbers.formulas.theorem1_attraction"],
      },
    ],
  },
  2: {
    asks: ["numbers", "gradients"],
    statement: `PUCL and ssCL are said to be unbiased, and PUCL to vary less. It does vary less where views are independent,
      by less than the proof says; and neither is unbiased, since the log partition of a batch does not know the
      classes.`,
    source: "Theorem 2, losses (3), (4) and (6)",
    columns: (loss) => [loss, "ssCL", "ideal"],
    rows: [
      ...moments(ofLoss, ofBaseline, ofIdeal),
      { label: "bias of the loss", names: ["numbers.loss.bias", "numbers.baseline.bias", null] },
      { label: "variance of the loss", names: ["numbers.loss.variance", "numbers.baseline.variance", null] },
    ],
    main: "numbers.loss.variance", mainName: "variance of the loss",
    claims: [
      {
        tag: "as printed", source: "Theorem 2",
        when: all(isLoss("PUCL", "ssCL"), independent), relation: "=",
        formula: "E[L<sub>ssCL</sub>] = E[L<sub>PUCL</sub>] = L*",
        left: ["measured bias", "numbers.loss.bias"], right: ["claimed", 0],
      },
      {
        tag: "as printed", source: "proof of Theorem 2, n the labeled examples of a batch",
        when: all(isLoss("PUCL"), independent, labels), relation: "=",
        formula: "Δσ = Var(L<sub>ssCL</sub>) − Var(L<sub>PUCL</sub>) = (1 − 1/n) Var(z·z′)",
        left: ["measured Δσ", "numbers.gap"], right: ["formula", "numbers.formulas.theorem2_printed"],
      },
      {
        tag: "what holds", source: "Hoeffding’s split of Var(z·z′), ζ₂ what is left for pairs",
        when: all(isLoss("PUCL"), independent), relation: "=",
        formula: "Δσ = 2m(m−1) / ((2m−1) b²) · ζ<sub>2</sub>",
        left: ["measured Δσ", "numbers.gap"], right: ["formula", "numbers.formulas.theorem2_gap"],
      },
      {
        tag: "what holds, for the attraction", source: "α the share of positives among the anchors",
        when: all(isLoss("PUCL", "ssCL"), independent), relation: "=",
        formula: "(α−π)(μ<sub>P</sub> − μ<sub>N</sub>)",
        left: ["measured", "numbers.loss.attraction_bias"], right: ["formula", "numbers.formulas.theorem2_attraction"],
      },
    ],
  },
  3: {
    asks: ["seeding"],
    statement: `PUPL starts its positive center at the mean of the labeled points and its negative one at an unlabeled
      point, drawn by squared distance from there. This is said to cost 16 times the best at most; labels in two
      places break every bound.`,
    source: "Theorem 3, Algorithm 1(B), Definition 6",
    columns: () => ["nearer center", "labels kept"],
    rows: [
      { label: "E[φ] after seeding", names: ["seeding.seeded.free", "seeding.seeded.constrained"] },
      { label: "E[φ] after the last round", names: ["seeding.settled.free", "seeding.settled.constrained"] },
      { label: "best two centers, φ*", names: ["seeding.optimal", null] },
      { label: "E[φ]/φ* after seeding", names: ["seeding.ratio", null] },
      { label: "φ, this start and round", names: ["chosen.potentials.free", "chosen.potentials.constrained"] },
    ],
    main: "seeding.seeded.free", mainName: "E[φ] after seeding",
    claims: [
      {
        tag: "as printed", source: "Theorem 3",
        when: always, relation: "≤",
        formula: "E[φ(Z<sub>PU</sub>, C<sub>PUPL</sub>)] ≤ 16 φ*",
        left: ["E[φ]", "seeding.seeded.free"], right: ["16 φ*", "seeding.printed"],
      },
      {
        tag: "as printed", source: "Theorem 3, for k-means++",
        when: always, relation: "≤",
        formula: "E[φ(Z<sub>PU</sub>, C<sub>k-means++</sub>)] ≤ 21.55 φ*",
        left: ["E[φ]", "seeding.plus_plus"], right: ["21.55 φ*", "seeding.printed_plus_plus"],
      },
      {
        tag: "what holds", source: "labels drawn from the positives; k is 4 with one, 1 with all",
        when: always, relation: "≤",
        formula: "E[φ] ≤ k Δ(positives) + 5 Δ(negatives)",
        left: ["mean over all labels", "seeding.average"], right: ["bound", "seeding.bound"],
      },
    ],
  },
  4: {
    asks: ["gradients", "numbers"],
    statement: `The gradient of PUCL is said to be less biased than that of ssCL. Where views are independent the two are
      one and the same; where they coincide PUCL’s can be the nearer or the farther one. What holds is that
      with independent views it varies no more.`,
    source: "Theorem 4 in appendix A.5.3",
    columns: (loss) => [loss, "ssCL", "ideal"],
    rows: [
      { label: "length of the gradient", names: ["gradients.norm", "gradients.theorem4.norm", "gradients.norm_ideal"] },
      { label: "bias of the gradient", names: ["gradients.bias", "gradients.theorem4.bias", null] },
      { label: "variance of the gradient", names: ["gradients.theorem4.variance", "gradients.theorem4.variance_baseline", null] },
      { label: "bias of the loss", names: ["numbers.loss.bias", "numbers.baseline.bias", null] },
      { label: "variance of the loss", names: ["numbers.loss.variance", "numbers.baseline.variance", null] },
    ],
    main: "gradients.bias", mainName: "bias of the gradient",
    claims: [
      {
        tag: "as printed", source: "Theorem 4",
        when: isLoss("PUCL"), relation: "<",
        formula: "|E∇L<sub>PUCL</sub> − ∇L*| &lt; |E∇L<sub>ssCL</sub> − ∇L*|",
        left: ["PUCL", "gradients.bias"], right: ["ssCL", "gradients.theorem4.bias"],
      },
      {
        tag: "what holds", source: "κ = ρ · m/b · (2m−2)/(2m−1)",
        when: isLoss("PUCL"), relation: "=",
        formula: "E∇L<sub>PUCL</sub> − E∇L<sub>ssCL</sub> = −κ ∇μ<sub>P</sub>",
        left: ["measured length", "gradients.theorem4.apart"], right: ["κ|∇μ<sub>P</sub>|", "gradients.theorem4.expected"],
      },
      {
        tag: "what decides, where κ > 0", source: "B the bias of ssCL’s gradient",
        when: all(isLoss("PUCL"), positiveKappa), relation: "<", yes: "the smaller one", no: "not the smaller one",
        formula: "κ|∇μ<sub>P</sub>|² &lt; 2⟨B, ∇μ<sub>P</sub>⟩: PUCL’s bias is the smaller one",
        left: ["κ|∇μ<sub>P</sub>|²", "gradients.theorem4.needed"], right: ["2⟨B, ∇μ<sub>P</sub>⟩", "gradients.theorem4.along"],
      },
      {
        tag: "what holds in its place", source: "PUCL is the mean of ssCL over all pairings of the labeled rows",
        when: all(isLoss("PUCL"), independent, labels), relation: "≥",
        formula: "Cov(∇L<sub>PUCL</sub>) ⪯ Cov(∇L<sub>ssCL</sub>)",
        left: ["least eigenvalue of the difference", "gradients.theorem4.least_gain"], right: ["at least", 0],
      },
    ],
  },
};
