package baseline

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// nnPUMixupVersion is the version of [NNPUMixup].
const nnPUMixupVersion = 1

// NNPUMixup is [NNPU] on mixed examples: labeled positives are mixed with labeled positives, unlabeled examples with
// unlabeled ones, λ·x + (1−λ)·x' with λ drawn from Beta(α, α), and the mixed examples keep their kind.
//
// Source of mixing: Hongyi Zhang, Moustapha Cisse, Yann Dauphin and David Lopez-Paz, "mixup: Beyond Empirical Risk
// Minimization", ICLR 2018. Mixing the two kinds separately is from the appendix of "Contrastive Positive Unlabeled
// Learning" (anonymous authors), which gives no α. No program of this method was found. Difference: λ is drawn for
// every example, not once for a batch.
type NNPUMixup struct {
	NNPU
	Alpha float64 // α; 0 means 0.3
}

func (m NNPUMixup) check() error {
	return cmp.Or(m.checkAs("nnPU with mixup"), checkAlpha("nnPU with mixup", m.alpha()))
}

func (m NNPUMixup) alpha() float64 { return cmp.Or(m.Alpha, 0.3) }

func (NNPUMixup) version() int { return nnPUMixupVersion }

// String implements [Method].
func (m NNPUMixup) String() string {
	return fmt.Sprintf("nnPU with mixup α=%g, %s", m.alpha(), m.numbers())
}

func (m NNPUMixup) plan() plan {
	r := m.risk()
	return plan{
		mix:  &mixing{pairing: withinKind, alpha: m.alpha(), alone: true},
		loss: func(b batch) *Node { return r(b.mixed, b.labels(b.mixed)) },
	}
}
