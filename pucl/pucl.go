package pucl

// PUCL is positive-unlabeled contrastive learning, equation (6): labeled anchors are attracted to all other labeled rows,
// unlabeled anchors to their own other view only.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} [ 1(i∈𝕌) s_{i,a(i)} + 1(i∈ℙ)/|ℙ∖i| Σ_{j∈ℙ∖i} s_ij − log Z(z_i) ]
//
// A batch without labeled positives is scored as by [SSCL].
func PUCL() Objective {
	return Objective{Name: "PUCL", Attract: ByLabel(LabeledMean, OwnViews), Repel: LogPartition}
}
