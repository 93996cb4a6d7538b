package pucl

// SCL returns supervised contrastive learning, equation (14): every anchor is attracted to all other rows of its class.
// It needs [Views].Class, which may hold two classes or many.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} [ 1/|C(i)| Σ_{j∈C(i)} s_ij − log Z(z_i) ],   C(i) the other rows of the class of i
//
// It equals [SCLPU] if the labels are the classes, and [PUCL] if all examples are labeled.
func SCL() Objective { return Objective{Name: "SCL", Attract: ClassMean, Repel: LogPartition} }
