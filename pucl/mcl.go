package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// MCL returns mixed contrastive learning, equation (22): weight λ on [SCLPU] and 1−λ on [SSCL].
//
//	L = λ L_SCL-PU + (1−λ) L_ssCL
//
// λ lies between 0, which is ssCL, and 1, which is SCL-PU; building the loss panics on any other value.
func MCL(lambda float64) Objective {
	return Objective{
		Name: "MCL",
		Attract: func(b *Block) *Node {
			checkShare("MCL", "λ", lambda)
			return Mix(lambda, SCLPU().Attract, OwnViews)(b)
		},
		Repel: LogPartition,
	}
}

// checkShare panics on a parameter that is not between 0 and 1.
func checkShare(objective, name string, value float64) {
	fault.PanicIf(!(value >= 0 && value <= 1),
		"pucl: %s with %s = %v; it is a share and must lie between 0 and 1", objective, name, value)
}
