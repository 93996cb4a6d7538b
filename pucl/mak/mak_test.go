package mak

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// random returns random rows of d numbers.
func random(seed uint64, n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for j := range a {
		ab, aa, bb = ab+a[j]*b[j], aa+a[j]*a[j], bb+b[j]*b[j]
	}
	return ab / math.Sqrt(aa*bb)
}

// ntXent is the loss of image i among the batch, as in SimCLR's paper: −log of the share of its own pair among all
// pairs with the anchor, averaged over both views as anchor.
func ntXent(first, second *mat.Dense, batch []int, i int, tau float64) float64 {
	loss := 0.0
	for _, v := range [][2]*mat.Dense{{first, second}, {second, first}} {
		anchor := v[0].RawRowView(batch[i])
		own := math.Exp(cosine(anchor, v[1].RawRowView(batch[i])) / tau)
		all := own
		for j, other := range batch {
			if j != i {
				all += math.Exp(cosine(anchor, first.RawRowView(other))/tau) + math.Exp(cosine(anchor, second.RawRowView(other))/tau)
			}
		}
		loss -= math.Log(own/all) / 2
	}
	return loss
}

// ECLE equals the mean of losses computed by loops, with one batch of all images, and with a last batch that is filled
// up. Its standard error is the standard error of that mean.
func TestECLE(t *testing.T) {
	const n, d, passes, tau = 11, 5, 3, 0.2
	var views [passes][2]*mat.Dense
	for p := range views {
		views[p] = [2]*mat.Dense{random(uint64(2*p), n, d), random(uint64(2*p+1), n, d)}
	}
	for _, size := range []int{512, n, 4, 2} {
		want := make([][]float64, n)
		for p, v := range views {
			order, batch := rand.New(rand.NewPCG(7, uint64(p)^eclestream)).Perm(n), min(size, n)
			for at := 0; at < n; at += batch {
				var images []int
				for k := range batch {
					images = append(images, order[(at+k)%n])
				}
				for k := 0; k < batch && at+k < n; k++ {
					want[images[k]] = append(want[images[k]], ntXent(v[0], v[1], images, k, tau))
				}
			}
		}
		got, err := ECLE(enginetest.Open(t), func(p int) (first, second *mat.Dense, err error) { return views[p][0], views[p][1], nil },
			ECLEConfig{Passes: passes, Batch: size, Seed: 7})
		expect.NoError(t, err)
		for i, losses := range want {
			mean := (losses[0] + losses[1] + losses[2]) / 3
			variance := 0.0
			for _, l := range losses {
				variance += (l - mean) * (l - mean) / (passes - 1)
			}
			if math.Abs(got.Mean[i]-mean) > 1e-5 || math.Abs(got.StdErr[i]-math.Sqrt(variance/passes)) > 1e-5 {
				t.Errorf("batches of %d, image %d: %g ± %g, want %g ± %g", size, i, got.Mean[i], got.StdErr[i], mean, math.Sqrt(variance/passes))
			}
		}
	}
}

// An image with equal views that differ from all others has the smallest loss; an image with different views has a
// larger one.
func TestECLEFindsTheHardImage(t *testing.T) {
	first := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	second := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 1, 1, -1})
	got, err := ECLE(enginetest.Open(t), func(int) (*mat.Dense, *mat.Dense, error) { return first, second, nil }, ECLEConfig{Passes: 1})
	if err != nil || !(got.Mean[2] > got.Mean[0] && got.Mean[2] > got.Mean[1]) || !math.IsNaN(got.StdErr[0]) || got.Passes != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// D is 1 − the largest cosine, and prototypes are the directions of groups.
func TestDistances(t *testing.T) {
	pool, prototypes := random(1, 50, 6), random(2, 4, 6)
	got := expect.Must(Distances(pool, prototypes))(t)
	for i, d := range got {
		want := math.Inf(1)
		for k := range 4 {
			want = min(want, 1-cosine(pool.RawRowView(i), prototypes.RawRowView(k)))
		}
		expect.That(t, math.Abs(d-want) <= 1e-12, "image %d: %g, want %g", i, d, want)
	}
	seed := mat.NewDense(6, 2, []float64{1, 0.1, 9, -0.9, 3, 0, 0.1, 1, -0.9, 9, 0, 2})
	centers := expect.Must(Prototypes(seed, 2, 1))(t)
	for k := range 2 {
		row := centers.RawRowView(k)
		expect.That(t, math.Abs(math.Hypot(row[0], row[1])-1) <= 1e-12 && math.Abs(max(row[0], row[1])-1) <= 1e-6,
			"prototype %d: %v", k, row)
	}
}

// task returns a seed set around two directions and a pool with images around them and outliers.
func task() (seed *mat.Dense, pool Pool) {
	rng := rand.New(rand.NewPCG(5, 5))
	seed = random(3, 30, 8)
	seed.Scale(0.2, seed)
	for i := range 30 {
		seed.Set(i, i%2, seed.At(i, i%2)+1)
	}
	pool.Features = random(4, 200, 8)
	for i := range 200 {
		pool.Features.Set(i, i%3, pool.Features.At(i, i%3)+2)
		pool.ECLE = append(pool.ECLE, 3+rng.NormFloat64())
	}
	return seed, pool
}

// byHand is Algorithm 1 in float64 loops, given the distances D. It selects K images instead of K + 1, among those not
// yet selected.
func byHand(seed *mat.Dense, pool Pool, distance []float64, alpha float64, budget, candidates int) (chosen []int) {
	normal := func(v []float64) (out []float64) {
		mean, square := 0.0, 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			square += (x - mean) * (x - mean) / float64(len(v))
		}
		for _, x := range v {
			out = append(out, (x-mean)/math.Sqrt(square))
		}
		return out
	}
	e, d := normal(pool.ECLE), normal(distance)
	var top []int
	for range candidates {
		best := -1
		for i := range e {
			q := func(i int) float64 { return alpha*e[i] - (1-alpha)*d[i] }
			if !slices.Contains(top, i) && (best < 0 || q(i) > q(best)) {
				best = i
			}
		}
		top = append(top, best)
	}
	slices.Sort(top)
	n, _ := seed.Dims()
	for len(chosen) < budget {
		at, farthest := -1, math.Inf(-1)
		for _, i := range top {
			nearest := math.Inf(1)
			for k := range n {
				nearest = min(nearest, 1-cosine(pool.Features.RawRowView(i), seed.RawRowView(k)))
			}
			for _, k := range chosen {
				nearest = min(nearest, 1-cosine(pool.Features.RawRowView(i), pool.Features.RawRowView(k)))
			}
			if !slices.Contains(chosen, i) && nearest > farthest {
				at, farthest = i, nearest
			}
		}
		chosen = append(chosen, at)
	}
	return chosen
}

// MAK equals Algorithm 1 in loops, with and without an engine, for default and other parameters.
func TestSelectIsAlgorithm1(t *testing.T) {
	seed, pool := task()
	for _, eng := range append(enginetest.All(t), nil) {
		for _, tt := range []struct {
			config     Config
			alpha      float64
			candidates int
		}{
			{Config{Budget: 20}, 0.5, 30},
			{Config{Budget: 21}, 0.5, 31},
			{Config{Budget: 20, Alpha: 0.3, Candidates: 150, Prototypes: 2, Seed: 4}, 0.3, 150},
			{Config{Budget: 180}, 0.5, 200},
		} {
			tt.config.Engine = eng
			got := expect.Must(Select(seed, pool, tt.config))(t)
			_, distance, _ := got.Scores()
			want := byHand(seed, pool, distance, tt.alpha, tt.config.Budget, tt.candidates)
			expect.That(t, slices.Equal(got.Images(), want), "%s: %v, want %v", got, got.Images(), want)
			expect.That(t, got.Candidates == tt.candidates && got.Alpha == tt.alpha,
				"%s; want %d candidates, α = %g", got, tt.candidates, tt.alpha)
		}
	}
}

// Each rule uses its own part, and no image is selected twice.
func TestRules(t *testing.T) {
	seed, pool := task()
	n := len(pool.ECLE)
	for _, rule := range Rules() {
		got := expect.Must(Select(seed, pool, Config{Budget: 40, Rule: rule, Seed: 3}))(t)
		images := got.Images()
		sorted := slices.Compact(slices.Sorted(slices.Values(images)))
		expect.That(t, len(sorted) == 40 && sorted[0] >= 0 && sorted[39] < n, "%s chose %v", rule, images)
		expect.That(t, strings.Contains(got.String(), "40 of 200 images by "+rule.String()),
			"%s tells of itself: %s", rule, got)
		_, distance, q := got.Scores()
		least := func(of func(i int) float64) { // no selected image is above one that is not selected
			last := math.Inf(1)
			for i := range n {
				if !slices.Contains(images, i) {
					last = min(last, of(i))
				}
			}
			for k, i := range images {
				expect.That(t, of(i) <= last && (k <= 0 || of(i) >= of(images[k-1])),
					"%s chose image %d in place %d", rule, i, k)
			}
		}
		switch rule {
		case OnlyTailness:
			if square := mat.Dot(mat.NewVecDense(n, q), mat.NewVecDense(n, q)); math.Abs(square-float64(n)) > 1e-9 || math.Abs(mat.Sum(mat.NewVecDense(n, q))) > 1e-9 {
				t.Errorf("N has not mean 0 and, over the population, variance 1: squares sum to %g", square)
			}
			least(func(i int) float64 { return -pool.ECLE[i] })
		case OnlyProximity:
			least(func(i int) float64 { return distance[i] })
		case TailnessProximity:
			if both := byHand(seed, pool, distance, 0.5, 40, 40); !slices.Equal(slices.Sorted(slices.Values(images)), slices.Sorted(slices.Values(both))) {
				t.Errorf("%s chose %v, want %v", rule, images, both)
			}
		case OnlyDiversity:
			all := byHand(seed, pool, random(1, n, 1).RawMatrix().Data, 0.5, 40, n)
			expect.That(t, slices.Equal(images, all), "%s chose %v, want %v", rule, images, all)
		case Random:
			other, err := Select(seed, pool, Config{Budget: 40, Rule: rule, Seed: 4})
			expect.That(t, err == nil && !slices.Equal(other.Images(), images) && got.Chosen[0].Reason() == "drawn",
				"seeds 3 and 4 draw %v and %v, %v", images, other.Images(), err)
		}
	}
}

// A constant score has no effect and is reported in Notes; equal scores keep the order of the pool; C = K leaves no
// choice to diversity.
func TestConstantScores(t *testing.T) {
	seed, pool := task()
	for i := range pool.ECLE {
		pool.ECLE[i] = 0.1
	}
	got, err := Select(seed, pool, Config{Budget: 3, Rule: OnlyTailness})
	if err != nil || !slices.Equal(got.Images(), []int{0, 1, 2}) || len(got.Notes) != 1 || !strings.Contains(got.String(), "ECLE is 0.1 for all images") {
		t.Errorf("%s: %v, %v", got, got.Images(), err)
	}
	near := expect.Must(Select(seed, pool, Config{Budget: 5, Rule: OnlyProximity}))(t)
	both, err := Select(seed, pool, Config{Budget: 5, Candidates: 5})
	expect.That(t, err == nil && slices.Equal(both.Images(), near.Images()) && math.IsNaN(both.Chosen[0].Distance),
		"%s: %v, want %v; %v", both, both.Images(), near.Images(), err)
}

// Of equally distant candidates the one with the smaller index is selected, even if another has the larger q.
func TestEquallyFar(t *testing.T) {
	seed := mat.NewDense(2, 2, []float64{1, 0, 1, 0.1})
	pool := Pool{mat.NewDense(4, 2, []float64{1, 0.2, 0, 1, 0, 1, 1, 0}), []float64{1, 2, 3, 1}}
	got, err := Select(seed, pool, Config{Budget: 1, Candidates: 4})
	expect.That(t, err == nil && slices.Equal(got.Images(), []int{1}) && got.Chosen[0].Rank >= 2,
		"%s: %+v, %v", got, got.Chosen, err)
}

// The output can be read back: numbers with all digits, one image per line, the notes of the rule.
func TestExport(t *testing.T) {
	seed, pool := task()
	s := expect.Must(Select(seed, pool, Config{Budget: 4}))(t)
	var table, object bytes.Buffer
	expect.NoError(t, errors.Join(s.WriteCSV(&table), s.WriteJSON(&object)))
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(lines) != 5 || strings.Join(lines[0], " ") != "image ecle d q rank distance reason" {
		t.Fatalf("%v, %v", lines, err)
	}
	var read struct {
		Rule   string
		Chosen []struct {
			Image, Rank       int
			ECLE, D, Distance float64
			Reason            string
		}
	}
	if err := json.Unmarshal(object.Bytes(), &read); err != nil || read.Rule != "MAK" || len(read.Chosen) != 4 {
		t.Fatalf("%+v, %v", read, err)
	}
	for i, c := range s.Chosen {
		line, entry := lines[i+1], read.Chosen[i]
		ecle, _ := strconv.ParseFloat(line[1], 64)
		if line[0] != strconv.Itoa(c.Image) || ecle != c.ECLE || entry.Image != c.Image || entry.ECLE != c.ECLE || entry.D != c.D ||
			entry.Rank != c.Rank || entry.Distance != c.Distance || entry.Reason != c.Reason() || line[6] != c.Reason() || c.Rank < 1 {
			t.Errorf("%+v: line %v, entry %+v", c, line, entry)
		}
	}
	drawn := expect.Must(Select(seed, Pool{Features: pool.Features}, Config{Budget: 1, Rule: Random}))(t)
	table.Reset()
	if err := drawn.WriteCSV(&table); err != nil || !strings.Contains(table.String(), ",,,,,drawn\n") {
		t.Errorf("%q, %v", table.String(), err)
	}
}

func TestRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	seed, good := task()
	with := func(change func(x *mat.Dense)) *mat.Dense {
		x := mat.DenseCopyOf(good.Features)
		change(x)
		return x
	}
	nan := with(func(x *mat.Dense) { x.Set(7, 1, math.NaN()) })
	zero := with(func(x *mat.Dense) { x.SetRow(7, make([]float64, 8)) })
	choose := func(seed *mat.Dense, pool Pool, c Config) error { return refusal.Err(Select(seed, pool, c)) }
	ecle := func(first, second *mat.Dense, c ECLEConfig) error {
		return refusal.Err(ECLE(eng, func(int) (*mat.Dense, *mat.Dense, error) { return first, second, nil }, c))
	}
	bad := slices.Clone(good.ECLE)
	bad[3] = math.Inf(1)
	for _, tt := range []struct {
		err  error
		says string
	}{
		{choose(seed, Pool{ECLE: good.ECLE}, Config{Budget: 1}), "the pool without features … embed its images"},
		{choose(nil, good, Config{Budget: 1}), "the seed set without features … embed its images"},
		{choose(seed, good, Config{}), "a budget of 0 images … Budget must be 1 or more"},
		{choose(seed, good, Config{Budget: -1}), "a budget of -1 images … Budget must be 1 or more"},
		{choose(seed, good, Config{Budget: 201}), "a budget of 201 images and a pool of 200 … at most 200, or a larger pool"},
		{choose(seed, good, Config{Budget: 5, Candidates: 4}), "4 candidates for a budget of 5 … at least the budget"},
		{choose(seed, good, Config{Budget: 5, Candidates: 201}), "201 candidates in a pool of 200 images … at most 200"},
		{choose(seed, good, Config{Budget: 5, Alpha: 1}), "α = 1 … between 0 and 1 … OnlyTailness or OnlyProximity"},
		{choose(seed, good, Config{Budget: 5, Alpha: math.NaN()}), "α = NaN … between 0 and 1"},
		{choose(seed, good, Config{Budget: 5, Prototypes: 31}), "31 prototypes of a seed set of 30 images … at most one for each image"},
		{choose(seed, good, Config{Budget: 5, Rule: 9}), "no rule 9 … take one of Rules"},
		{choose(seed, Pool{Features: nan, ECLE: good.ECLE}, Config{Budget: 5}), "the pool cannot be compared … row 7 holds NaN in column 1 … did training diverge?"},
		{choose(seed, Pool{Features: zero, ECLE: good.ECLE}, Config{Budget: 5}), "row 7 of the pool is all zeros … leave the image out"},
		{choose(random(1, 5, 3), good, Config{Budget: 5}), "features of 8 numbers in the pool and of 3 in the seed set … by one model"},
		{choose(seed, Pool{Features: good.Features}, Config{Budget: 5}), "a pool without ECLE, which MAK looks at … take another rule"},
		{choose(seed, Pool{Features: good.Features, ECLE: good.ECLE[1:]}, Config{Budget: 5}), "199 ECLEs for a pool of 200 images … one for each"},
		{choose(seed, Pool{Features: good.Features, ECLE: bad}, Config{Budget: 5}), "image 3 has ECLE +Inf … must be finite"},
		{refusal.Err(Prototypes(seed, 0, 1)), "0 prototypes of a seed set of 30 images … take 1 or more"},
		{refusal.Err(Distances(seed, random(1, 2, 3))), "features of 8 numbers and prototypes of 3 … by one model"},
		{refusal.Err(ECLE(eng, nil, ECLEConfig{})), "ECLE without views … give a function"},
		{ecle(seed, seed, ECLEConfig{Passes: -1}), "-1 passes … 1 or more"},
		{ecle(seed, seed, ECLEConfig{Tau: -1}), "temperature -1 … positive number"},
		{ecle(seed, seed, ECLEConfig{Batch: 1}), "batches of 1 images … 2 or more"},
		{ecle(seed, good.Features, ECLEConfig{}), "pass 0 has views [30, 8] and [200, 8] … of the same images"},
		{ecle(nil, seed, ECLEConfig{}), "view 1 of pass 0 without features … embed its images"},
		{ecle(seed, zero, ECLEConfig{}), "row 7 of view 2 of pass 0 is all zeros … leave the image out"},
		{ecle(random(1, 1, 3), random(2, 1, 3), ECLEConfig{}), "a pool of 1 image … two or more"},
		{refusal.Err(ECLE(eng, func(pass int) (*mat.Dense, *mat.Dense, error) {
			return random(1, 4+pass, 3), random(2, 4+pass, 3), nil
		}, ECLEConfig{})), "pass 1 has 5 images and those before 4 … the whole pool in every pass"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
	if _, err := ECLE(eng, func(int) (*mat.Dense, *mat.Dense, error) { return nil, nil, errors.New("disk full") }, ECLEConfig{}); err == nil ||
		err.Error() != "mak: views of pass 0: disk full" {
		t.Errorf("views that cannot be had: %v", err)
	}
	expect.Error(t, expect.Err(ECLE(nil, nil, ECLEConfig{})))
	expect.That(t, Rule(9).String() == "Rule(9)", "%v", Rule(9))
}
