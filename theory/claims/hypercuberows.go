package claims

import (
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// rowReadings returns the readings with [ShapeAsView]. Labels of rows are not what the objectives take, so (6) is put together
// from their anchors: a labeled row is one view of a labeled example that consists of the blue objects, an unlabeled row one
// view of an example of its shape. The log partition of a row is the same in both. With one labeled row there is no other to
// attract it, so that both blue objects must be labeled.
func rowReadings(eng *engine.Engine, tau float64, placements []Placement) []HypercubeReading {
	var shapes, colors [][][]float64 // rows 0 and 2 are the views of one example, rows 1 and 3 of the other
	for _, s := range spaces {
		for _, p := range placements {
			shapes = append(shapes, s.batchOf(p, []int{BlueTriangle, BlueCircle, RedTriangle, RedCircle}))
			colors = append(colors, s.batchOf(p, []int{BlueTriangle, RedTriangle, BlueCircle, RedCircle}))
		}
	}
	classes := []int32{1, 0}
	ssCL := must.Get(theory.AnchorLosses(eng, pucl.SSCL(), shapes, make([]bool, 2), nil, tau))
	unlabeled := must.Get(theory.AnchorLosses(eng, pucl.PUCL(), shapes, make([]bool, 2), nil, tau))
	labeled := must.Get(theory.AnchorLosses(eng, pucl.PUCL(), colors, []bool{true, false}, nil, tau))
	scl := must.Get(theory.AnchorLosses(eng, pucl.SCL(), colors, make([]bool, 2), classes, tau))
	var readings []HypercubeReading
	count := len(placements)
	for k, s := range spaces {
		r := HypercubeReading{Views: ShapeAsView, ZeroOne: s.zeroOne, Inner: s.inner, Temperature: s.temperature(tau)}
		for i := k * count; i < (k+1)*count; i++ {
			r.SSCL = append(r.SSCL, rowMean(ssCL[i]))
			// The blue rows of the one layout, the red rows of the other.
			r.PUCL = append(r.PUCL, rowMean([]float64{labeled[i][0], labeled[i][2], unlabeled[i][2], unlabeled[i][3]}))
			r.SCL = append(r.SCL, rowMean(scl[i]))
		}
		readings = append(readings, r)
	}
	return readings
}
