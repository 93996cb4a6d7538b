// Package claims holds the statements of the papers that can be checked with numbers, each as a value: what is claimed,
// where, under which assumptions, and a check that computes a [Finding] with a [Verdict].
//
//	for _, claim := range claims.All() {
//		checked, err := claim.Check(eng)
//		…
//		fmt.Println(checked) // "noise-rate: conditional. Exact in all 270 cases where …"
//	}
//
// A verdict rests on what its check measured of the very objectives, and not on what is known of them. [Plants] lists mistakes to
// see that by: another objective, a term halved, an assumption dropped, a constant of a formula moved. With one of them,
// [Claim.CheckPlanted] ends as undecided or in an error that says what was noticed; of a statement whose own constant was moved, or
// that was left without an assumption, it says that this one fails. What makes no difference to a verdict is among its details.
// [New] makes a claim of your own.
//
// A verdict is about the statement as printed; [Verdict] has the rule. Where it fails, the finding carries the smallest counterexample found, what
// holds instead, and why. What holds in place of a theorem is a claim as well, [Theorem1Repaired] for [Theorem1], with a proof
// line by line in [Claim.Proof]; its check measures what the proof foretells, and that the constants cannot be better. Nothing is looked up: every number is recomputed when a claim is checked, exactly where batches
// can be enumerated or the quantity is rational, else with an interval. What is measured are the very objectives of package
// pucl that train models, with the instruments of package theory, which are open to checks of your own.
//
// [Statements] goes through the documents from front to back: every statement with the claims that check it, or why none does.
package claims
