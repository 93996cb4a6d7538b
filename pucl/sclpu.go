package pucl

// SCLPU returns supervised contrastive learning with the unlabeled examples as negatives, equation (5): labeled anchors
// are attracted to all other labeled rows, unlabeled anchors to all other unlabeled rows.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} [ 1(i∈ℙ)/|ℙ∖i| Σ_{j∈ℙ∖i} s_ij + 1(i∈𝕌)/|𝕌∖i| Σ_{j∈𝕌∖i} s_ij − log Z(z_i) ]
//
// It pulls the positives among the unlabeled towards the negatives, the bias of Theorem 1.
func SCLPU() Objective {
	return Objective{Name: "SCL-PU", Attract: ByLabel(LabeledMean, UnlabeledMean), Repel: LogPartition}
}
