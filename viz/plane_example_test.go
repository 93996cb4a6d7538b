package viz_test

import (
	"log"
	"math"

	"github.com/puclab/puclab/viz"
)

// Three losses from one start: one trades alignment for uniformity, one keeps both, one collapses.
func ExampleAlignmentUniformity() {
	path := func(name string, alignment, uniformity, bow float64) viz.Path {
		k := viz.Path{Name: name}
		for step := 0.0; step <= 500; step += 50 {
			t := 1 - math.Exp(-step/150)
			k.Steps = append(k.Steps, step)
			k.Alignment = append(k.Alignment, 0.9+t*(alignment-0.9)+bow*t*(1-t))
			k.Uniformity = append(k.Uniformity, -1.2+t*(uniformity+1.2))
		}
		return k
	}
	p, err := viz.AlignmentUniformity(viz.Figure{Title: "What training trades"},
		path("ssCL", 0.42, -3.4, 0.3), path("PUCL", 0.2, -3.1, -0.2), path("SCL-PU", 0.12, -1.6, 0))
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/plane.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}
