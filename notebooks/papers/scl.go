package papers

import (
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl"
)

// sclName names SCL, equation (14) of "Contrastive Positive Unlabeled Learning": it requires all classes, so it is an
// upper reference, not a method.
const sclName = "SCL"

// scl returns SCL for batches of [allLabeled], in which every positive image is labeled and SCL-PU equals SCL.
func scl() pucl.Objective {
	o := pucl.SCLPU()
	o.Name = sclName
	return o
}

// allLabeled returns the examples of a split with every positive one labeled.
func allLabeled(s *datasets.Split) *datasets.Split {
	all := &datasets.Split{Of: s.Of, Config: s.Config, Classes: s.Classes}
	for _, positive := range []bool{true, false} { // labeled examples come first in a split
		for i, row := range s.Index {
			if s.Positive[i] == positive {
				all.Index, all.Labeled, all.Positive = append(all.Index, row), append(all.Labeled, positive), append(all.Positive, positive)
			}
		}
	}
	return all
}
