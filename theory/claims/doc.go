// Package claims holds the statements of the papers that can be checked with numbers. Each is a value with the
// statement, its source, its assumptions, and a check that computes a [Finding] with a [Verdict].
//
//	for _, claim := range claims.All() {
//		checked, err := claim.Check(eng)
//		…
//		fmt.Println(checked) // "noise-rate: conditional. Exact in all 270 cases where …"
//	}
//
// A verdict depends on measurements of the objectives, not on prior knowledge about them. [Plants] lists bugs that test
// this (mutations): another objective, a halved term, a dropped assumption, a changed constant of a formula. With one
// of them, [Claim.CheckPlanted] ends as undecided, or in an error that states the detected bug. A statement with a
// changed constant or without an assumption may also fail. The details of a claim list the bugs that do not change its
// verdict. [New] makes a claim of your own.
//
// A verdict is about the statement as printed; [Verdict] has the rule. If it fails, the finding has the smallest
// counterexample found, the corrected statement, and the reason. The corrected version of a theorem is also a claim,
// for example [Theorem1Repaired] for [Theorem1], with a line-by-line proof in [Claim.Proof]. Its check measures the
// predictions of the proof, and that the constants are optimal. Every number is recomputed by the check, exactly if
// batches can be enumerated or the quantity is rational, else with an interval. The checks measure the objectives of
// package pucl that train models, with the tools of package theory, which your own checks can use.
//
// [Statements] lists all statements of the documents in order, each with the claims that check it, or the reason why
// none does.
package claims
