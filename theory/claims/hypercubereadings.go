package claims

import (
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// HypercubeViews is the definition of the two views of an object.
type HypercubeViews int

const (
	// ItselfAsView: both views are the object, on its corner. Eight rows.
	ItselfAsView HypercubeViews = iota

	// ShapeAsView: the two objects of one shape are each other's view, and labels belong to rows: equations (4) and (6)
	// with a(i) the other object of the shape, and ℙ the labeled objects. Four rows.
	ShapeAsView

	// ShapeAsSecondView: the first view of an object is on its corner, the second on the corner of the other object of
	// its shape, as if colors were lost. Labels belong to examples, so to both views. Eight rows.
	ShapeAsSecondView

	// AnyOfShapeAsView: each view of an object is on its corner or on the corner of the other object of its shape, with
	// equal probability; the loss is the mean over all combinations. Labels belong to examples. Eight rows.
	AnyOfShapeAsView
)

// String describes the views in a few words.
func (v HypercubeViews) String() string {
	return lists.Name(v, "HypercubeViews", "an object is its own view", "the other object of its shape is its view, labels by row",
		"the other object of its shape is its second view, labels by example",
		"each view is any object of its shape, labels by example")
}

// HypercubeReading is one interpretation of the captions of Figures 2 and 7, with the losses of all [Placements] in it.
type HypercubeReading struct {
	Views       HypercubeViews
	OneLabeled  bool    // only the blue triangle is labeled, not the blue circle
	ZeroOne     bool    // the corners are {0,1}², not {±1}²
	Inner       bool    // similarities are inner products, not cosines; their temperature is twice as large
	Temperature float64 // of the similarities

	SSCL, PUCL, SCL []float64 // by placement
}

const labelsByColor = "labels by color"

// choices names the choices of the reading: views, labels, corners and similarity.
func (r HypercubeReading) choices() []string {
	labels := []string{"both blue objects labeled", "one blue object labeled"}[oneIf(r.OneLabeled)]
	corners := []string{"corners {±1}²", "corners {0,1}²"}[oneIf(r.ZeroOne)]
	return []string{r.Views.String(), labels, corners, []string{"cosines", "inner products"}[oneIf(r.Inner)]}
}

// String names the choices.
func (r HypercubeReading) String() string { return strings.Join(r.choices(), ", ") }

// commonChoices names the choices that all of the given readings share.
func commonChoices(readings []HypercubeReading) string {
	var common []string
	for k, choice := range readings[0].choices() {
		if !slices.ContainsFunc(readings, func(r HypercubeReading) bool { return r.choices()[k] != choice }) {
			common = append(common, choice)
		}
	}
	return strings.Join(common, ", ")
}

// hypercubeCorners are the corners of {0,1}² by number.
var hypercubeCorners = [4][2]float64{{0, 1}, {1, 1}, {1, 0}, {0, 0}}

// corner returns a corner of {0,1}² or of {±1}².
func corner(number int, zeroOne bool) [2]float64 {
	z := hypercubeCorners[number]
	if !zeroOne {
		z = [2]float64{2*z[0] - 1, 2*z[1] - 1}
	}
	return z
}

// space is a choice of corners and similarity; every reading has one.
type space struct{ zeroOne, inner bool }

var spaces = []space{{false, false}, {false, true}, {true, false}, {true, true}}

// batchOf returns the objects of a placement row by row. For inner products, which must equal cosines times 2, every
// row gets an extra coordinate that brings its length to one.
func (s space) batchOf(p Placement, objects []int) [][]float64 {
	return lists.Make(len(objects), func(i int) []float64 {
		z, row := corner(p[objects[i]], s.zeroOne), make([]float64, 2+len(objects))
		row[0], row[1] = z[0], z[1]
		if s.inner {
			row[0], row[1] = z[0]/math.Sqrt2, z[1]/math.Sqrt2
			row[2+i] = math.Sqrt(max(0, 1-(z[0]*z[0]+z[1]*z[1])/2))
		}
		return row
	})
}

// layout lists the objects of the eight rows of a batch, with its probability. A pair of views and its reverse are one
// layout, since all objectives treat them alike.
type layout struct {
	objects []int
	p       float64
}

// layouts lists all layouts of the views of examples.
func (v HypercubeViews) layouts() []layout {
	// Number of an example's two views with the other object of its shape, and the probability.
	falls := map[HypercubeViews][]layout{
		ItselfAsView:      {{[]int{0, 0}, 1}},
		ShapeAsSecondView: {{[]int{0, 1}, 1}},
		AnyOfShapeAsView:  {{[]int{0, 0}, 0.25}, {[]int{0, 1}, 0.5}, {[]int{1, 1}, 0.25}},
	}
	all := []layout{{make([]int, 8), 1}}
	for object := range 4 {
		var more []layout
		for _, l := range all {
			for _, fall := range falls[v] {
				objects := slices.Clone(l.objects)
				for view, other := range fall.objects {
					objects[object+4*view] = object ^ other // object ^ 1 is the other object of its shape
				}
				more = append(more, layout{objects, l.p * fall.p})
			}
		}
		all = more
	}
	return all
}

// exampleViews are the views for which examples have labels.
var exampleViews = []HypercubeViews{ItselfAsView, ShapeAsSecondView, AnyOfShapeAsView}

// HypercubeReadings computes the losses of all placements in all readings, at the temperature tau for cosines and 2·tau
// for inner products. Inner products of {±1}² are twice the cosines, and so agree with them.
func HypercubeReadings(eng *engine.Engine, tau float64) (readings []HypercubeReading, err error) {
	defer must.Catch(&err)
	return hypercubeReadings(&subject{eng: eng}, tau, Placements()), nil
}

func hypercubeReadings(on *subject, tau float64, placements []Placement) []HypercubeReading {
	blue, triangle, none := []bool{true, false, true, false}, []bool{true, false, false, false}, make([]bool, 4)
	colors := []int32{1, 0, 1, 0}
	if !on.assumes(labelsByColor) { // the triangles are labeled, and one class
		blue, colors = []bool{true, true, false, false}, []int32{1, 1, 0, 0}
	}

	// All readings with labeled examples have batches of one shape, so that one run per objective suffices.
	var batches [][][]float64
	for _, v := range exampleViews {
		for _, s := range spaces {
			for _, p := range placements {
				for _, l := range v.layouts() {
					batches = append(batches, s.batchOf(p, l.objects))
				}
			}
		}
	}
	run := func(o pucl.Objective, labeled []bool) []float64 {
		return lists.Map(must.Get(theory.AnchorLosses(on.eng, o, batches, labeled, colors, tau)), rowMean)
	}
	ssCL, scl := run(on.objective(pucl.SSCL()), none), run(on.objective(pucl.SCL()), none)
	both, one := run(on.objective(pucl.PUCL()), blue), run(on.objective(pucl.PUCL()), triangle)

	var readings []HypercubeReading
	at := 0
	for _, v := range exampleViews {
		layouts, count := v.layouts(), len(placements)
		byPlacement := func(losses []float64) []float64 {
			return lists.Make(count, func(p int) (mean float64) {
				for k, l := range layouts {
					mean += l.p * losses[at+p*len(layouts)+k]
				}
				return mean
			})
		}
		for _, s := range spaces {
			r := HypercubeReading{
				Views: v, ZeroOne: s.zeroOne, Inner: s.inner, Temperature: s.temperature(tau),
				SSCL: byPlacement(ssCL), PUCL: byPlacement(both), SCL: byPlacement(scl),
			}
			readings = append(readings, r)
			r.OneLabeled, r.PUCL = true, byPlacement(one)
			readings = append(readings, r)
			at += len(layouts) * count
		}
	}
	return append(readings, rowReadings(on, tau, placements)...)
}

// temperature returns the temperature of the similarities, given that of the corresponding cosines.
func (s space) temperature(tau float64) float64 { return tau * float64(1+oneIf(s.inner)) }

func rowMean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// rowReadings returns the readings with [ShapeAsView]. The objectives do not accept labels of rows, so (6) is composed
// of their anchors. A labeled row is one view of a labeled example that consists of the blue objects, an unlabeled row
// one view of an example of its shape. The log partition of a row is the same in both. A single labeled row has no
// other to attract it, so both blue objects must be labeled.
func rowReadings(on *subject, tau float64, placements []Placement) []HypercubeReading {
	var shapes, colors [][][]float64 // rows 0 and 2 are the views of one example, rows 1 and 3 of the other
	for _, s := range spaces {
		for _, p := range placements {
			shapes = append(shapes, s.batchOf(p, []int{BlueTriangle, BlueCircle, RedTriangle, RedCircle}))
			layout := []int{BlueTriangle, RedTriangle, BlueCircle, RedCircle}
			if !on.assumes(labelsByColor) {
				layout = []int{BlueTriangle, BlueCircle, RedTriangle, RedCircle}
			}
			colors = append(colors, s.batchOf(p, layout))
		}
	}
	classes := []int32{1, 0}
	ssCL := must.Get(theory.AnchorLosses(on.eng, on.objective(pucl.SSCL()), shapes, make([]bool, 2), nil, tau))
	unlabeled := must.Get(theory.AnchorLosses(on.eng, on.objective(pucl.PUCL()), shapes, make([]bool, 2), nil, tau))
	labeled := must.Get(theory.AnchorLosses(on.eng, on.objective(pucl.PUCL()), colors, []bool{true, false}, nil, tau))
	scl := must.Get(theory.AnchorLosses(on.eng, on.objective(pucl.SCL()), colors, make([]bool, 2), classes, tau))
	var readings []HypercubeReading
	count := len(placements)
	for k, s := range spaces {
		r := HypercubeReading{Views: ShapeAsView, ZeroOne: s.zeroOne, Inner: s.inner, Temperature: s.temperature(tau)}
		for i := k * count; i < (k+1)*count; i++ {
			r.SSCL = append(r.SSCL, rowMean(ssCL[i]))
			// The blue rows of the first layout, the red rows of the second.
			r.PUCL = append(r.PUCL, rowMean([]float64{labeled[i][0], labeled[i][2], unlabeled[i][2], unlabeled[i][3]}))
			r.SCL = append(r.SCL, rowMean(scl[i]))
		}
		readings = append(readings, r)
	}
	return readings
}
