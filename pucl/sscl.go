package pucl

// SSCL returns self-supervised contrastive learning, the InfoNCE loss of SimCLR, equation (4): every anchor is
// attracted to its own other view, independent of its label.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} [ s_{i,a(i)} − log Z(z_i) ]
//
// If m > 2, the attraction is the mean over the other m−1 views.
func SSCL() Objective { return Objective{Name: "ssCL", Attract: OwnViews, Repel: LogPartition} }
