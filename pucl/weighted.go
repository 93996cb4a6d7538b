package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Part is one objective in a [WeightedSum].
type Part struct {
	Weight    float64
	Objective Objective
}

// WeightedSum returns the objective Σ_k w_k L_k. Its terms are the weighted sums of the parts' terms, and so on.
func WeightedSum(name string, parts ...Part) Objective {
	sum := func(of func(Objective) Term) Term {
		return func(b *Block) *Node {
			total := Nothing(b)
			for _, part := range parts {
				term := of(part.Objective)
				if term == nil {
					panic(fmt.Errorf("pucl: objective %q, a part of %q, lacks a term; it needs both Attract and Repel", part.Objective.Name, name))
				}
				total = Add(total, MulScalar(term(b), part.Weight))
			}
			return total
		}
	}
	o := Objective{
		Name:    name,
		Attract: sum(func(o Objective) Term { return o.Attract }),
		Repel:   sum(func(o Objective) Term { return o.Repel }),
	}
	var direct, whole bool
	for _, part := range parts {
		direct = direct || part.Objective.Direct != nil
		whole = whole || part.Objective.Whole != nil
	}
	if direct {
		o.Direct = sum(func(o Objective) Term { return o.score })
	}
	if whole {
		o.Whole = func(v Views, tau float64) *Node {
			var total *Node
			for _, part := range parts {
				if part.Objective.Whole != nil {
					total = plus(total, MulScalar(part.Objective.Whole(v, tau), part.Weight))
				}
			}
			return total
		}
	}
	return o
}
