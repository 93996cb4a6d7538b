package pucl

import . "github.com/gomlx/gomlx/core/graph"

// PUNCE returns puNCE: an unlabeled anchor counts as a positive with weight π, the class prior, and as a negative with
// weight 1−π. As a positive it is attracted to the labeled rows and its own other view, as a negative to its own other
// view alone. Labeled anchors are attracted to the other labeled rows, as in [PUCL].
//
//	attract(i ∈ ℙ) = 1/|ℙ∖i| Σ_{j∈ℙ∖i} s_ij
//	attract(i ∈ 𝕌) = π/(|ℙ|+1) [ Σ_{j∈ℙ} s_ij + s_{i,a(i)} ] + (1−π) s_{i,a(i)}
//
// If m > 2, all own other views replace the single one, and their number replaces the 1. A batch without labeled
// positives is scored as by [SSCL]. The prior must lie between 0 and 1; π = 0 is PUCL.
//
// Source: A. Acharya et al., "Positive Unlabeled Contrastive Learning" (2022), where the method is called puNCE.
func PUNCE(prior float64) Objective {
	return Objective{
		Name: "puNCE",
		Attract: func(b *Block) *Node {
			checkShare("puNCE", "prior π", prior)
			return ByLabel(LabeledMean, Mix(prior, labeledOrOwn, OwnViews))(b)
		},
		Repel: LogPartition,
	}
}
