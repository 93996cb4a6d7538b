package claims

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
)

// openReadings computes the readings once for all tests.
var openReadings = sync.OnceValues(func() ([]HypercubeReading, error) {
	eng, err := engine.Open()
	if err != nil {
		return nil, err
	}
	return HypercubeReadings(eng, 0.5)
})

func allReadings(t *testing.T) []HypercubeReading {
	t.Helper()
	return expect.Must(openReadings())(t)
}

func TestHypercubeIsConditional(t *testing.T) {
	f := checkAs(t, Conditional, Hypercube()).Finding
	expect.That(t, f.Number.Value == 4 && f.Counterexample != "", "%s; %q", f.Sentence, f.Counterexample)
	for name, want := range map[string]float64{
		"readings": 28, "readings in which ssCL is least as printed": 20,
		"readings in which the caption comes out and PUCL is least in all placements printed": 2,
	} {
		expect.Equal(t, value(t, f, name), want, "%s", name)
	}
}

func TestHypercubeFollowsTheNumbers(t *testing.T) {
	readings := allReadings(t)
	never := hypercubeFinding(readings, readings, func(p Placement) (ssCL, puCL, scl bool) {
		return !p.ShapesTogether(), !p.ShapesTogether(), false
	})
	expect.That(t, never.Verdict == Fails && never.Number.Value == 0, "%s: %s", never.Verdict, never.Sentence)
	all := func(Placement) (ssCL, puCL, scl bool) { return true, true, true }
	// All placements are best for ssCL in the first eight readings, in which an object is its own view.
	some := hypercubeFinding(readings, readings, all)
	expect.That(t, some.Verdict == Conditional && some.Number.Value == 8 &&
		strings.Contains(some.Sentence, "an object is its own view"), "%s: %s", some.Verdict, some.Sentence)
	each := hypercubeFinding(readings[:8], readings[:8], all)
	expect.That(t, each.Verdict == Holds, "%s: %s", each.Verdict, each.Sentence)
	// Different losses at the other temperature are detected.
	moved := append([]HypercubeReading(nil), readings...)
	moved[3] = readings[20]
	got := value(t, hypercubeFinding(readings, moved, captionPlacements), "readings with another outcome at a fifth of the "+
		"temperature")
	expect.That(t, got == 1, "%g readings have another outcome, want 1", got)
}

func TestPlacements(t *testing.T) {
	all := Placements()
	expect.Require(t, len(all) == 24, "%d placements", len(all))
	seen := map[Placement]bool{}
	shapes, colors, both := 0, 0, 0
	for i, p := range all {
		expect.That(t, !seen[p], "%v comes twice", p)
		seen[p] = true
		expect.That(t, (p[BlueTriangle] == 0) == (i < fixedPlacements),
			"placement %d has the blue triangle on corner %d", i, p[BlueTriangle])
		// Neighboring corners of the square are at distance 1, by their coordinates.
		apart := func(a, b int) float64 {
			za, zb := corner(p[a], true), corner(p[b], true)
			return math.Hypot(za[0]-zb[0], za[1]-zb[1])
		}
		expect.Equal(t, p.ShapesTogether(), apart(BlueTriangle, RedTriangle) == 1 && apart(BlueCircle,
			RedCircle) == 1, "%v: shapes together", p)
		expect.Equal(t, p.ColorsTogether(), apart(BlueTriangle, BlueCircle) == 1 && apart(RedTriangle,
			RedCircle) == 1, "%v: colors together", p)
		if i < fixedPlacements {
			shapes, colors, both = shapes+oneIf(p.ShapesTogether()), colors+oneIf(p.ColorsTogether()),
				both+oneIf(p.ShapesTogether() && p.ColorsTogether())
		}
	}
	expect.That(t, shapes == 4 && colors == 4 && both == 2,
		"of six placements %d have the shapes together, %d the colors, %d both", shapes, colors, both)
}

// Compares every reading's losses with loops over the rows, written from the equations. The similarity of two rows is
// the cosine or the inner product of their corners, and each row has its object, its label, and its view.
func TestHypercubeReadingsAgainstLoops(t *testing.T) {
	readings := allReadings(t)
	seen := map[string]bool{}
	for _, r := range readings {
		expect.That(t, !seen[r.String()], "%s comes twice", r)
		seen[r.String()] = true
		for i, p := range Placements() {
			ssCL, puCL, scl := referenceHypercube(r, p)
			near(t, r.String()+": ssCL", r.SSCL[i], ssCL, 1e-12)
			near(t, r.String()+": PUCL", r.PUCL[i], puCL, 1e-12)
			near(t, r.String()+": SCL", r.SCL[i], scl, 1e-12)
		}
	}
	expect.That(t, len(readings) == 28, "%d readings", len(readings))
}

// hyperRow is a row of a batch: its corner, object, label and view.
type hyperRow struct {
	z       [2]float64
	labeled bool
	blue    bool
	view    int
}

func referenceHypercube(r HypercubeReading, p Placement) (ssCL, puCL, scl float64) {
	place := func(object int) [2]float64 {
		z := [4][2]float64{{0, 1}, {1, 1}, {1, 0}, {0, 0}}[p[object]]
		if !r.ZeroOne {
			z[0], z[1] = 2*z[0]-1, 2*z[1]-1
		}
		return z
	}
	blue := func(object int) bool { return object == BlueTriangle || object == BlueCircle }
	labeled := func(object int) bool { return object == BlueTriangle || object == BlueCircle && !r.OneLabeled }
	other := [4]int{RedTriangle, BlueTriangle, RedCircle, BlueCircle}
	if r.Views == ShapeAsView {
		var rows []hyperRow
		for o := range 4 {
			rows = append(rows, hyperRow{place(o), labeled(o), blue(o), other[o]})
		}
		return scoreRows(rows, r)
	}
	ways := 0.0
	for bits := range 256 {
		if r.Views == ItselfAsView && bits != 0 || r.Views == ShapeAsSecondView && bits != 0xf0 {
			continue
		}
		var rows []hyperRow
		for i := range 8 {
			o := i % 4
			shown := o
			if bits>>i&1 == 1 {
				shown = other[o]
			}
			rows = append(rows, hyperRow{place(shown), labeled(o), blue(o), (i + 4) % 8})
		}
		a, b, c := scoreRows(rows, r)
		ssCL, puCL, scl, ways = ssCL+a, puCL+b, scl+c, ways+1
	}
	return ssCL / ways, puCL / ways, scl / ways
}

func scoreRows(rows []hyperRow, r HypercubeReading) (ssCL, puCL, scl float64) {
	n := float64(len(rows))
	for i, a := range rows {
		var partition, own, ofLabeled, labeledCount, ofColor, colorCount float64
		for j, b := range rows {
			if j == i {
				continue
			}
			s := a.z[0]*b.z[0] + a.z[1]*b.z[1]
			if !r.Inner {
				if la, lb := math.Hypot(a.z[0], a.z[1]), math.Hypot(b.z[0], b.z[1]); la*lb > 0 {
					s /= la * lb
				}
			}
			s /= r.Temperature
			partition += math.Exp(s)
			if j == a.view {
				own = s
			}
			if b.labeled {
				ofLabeled, labeledCount = ofLabeled+s, labeledCount+1
			}
			if a.blue == b.blue {
				ofColor, colorCount = ofColor+s, colorCount+1
			}
		}
		attract := own
		if a.labeled {
			attract = ofLabeled / labeledCount
		}
		ssCL += (math.Log(partition) - own) / n
		puCL += (math.Log(partition) - attract) / n
		scl += (math.Log(partition) - ofColor/colorCount) / n
	}
	return ssCL, puCL, scl
}

func TestHypercubeNames(t *testing.T) {
	got := HypercubeViews(9).String()
	expect.That(t, got == "HypercubeViews(9)", "%v", got)
	r := HypercubeReading{Views: ShapeAsView, ZeroOne: true, Inner: true}
	if got := r.String(); got != "the other object of its shape is its view, labels by row, both blue objects labeled, "+
		"corners {0,1}², inner products" {
		t.Error(got)
	}
	if got := commonChoices([]HypercubeReading{r, {Views: ShapeAsView, ZeroOne: true}}); got != "the other object of its "+
		"shape is its view, labels by row, both blue objects labeled, corners {0,1}²" {
		t.Error(got)
	}
}
