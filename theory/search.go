package theory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/theory/internal/must"
)

// Search finds the population and the design with the largest value of a [Question], for example a counterexample for a
// bias. It has four stages:
//
//	grid      all populations with few atoms on given points, under every design
//	random    populations with points anywhere on the sphere
//	climb     small changes to the worst cases so far, kept where they make them worse
//	simplify  fewer examples, fewer atoms, rounder numbers, as long as the case stays nearly as bad
//
// The zero value searches the plane with two atoms per class and batches of two to four examples, some 1700 cases. For
// a loss this takes two or three seconds with XLA and ten with the pure-Go engine. A search that finds nothing proves
// nothing beyond its cases.
type Search struct {
	Points [][]float64 // points of the grid's atoms; nil means Circle(4). Their dimension is that of all atoms
	Atoms  int         // the most atoms that a class has; 0 means 2
	Parts  int         // the grid's probabilities are multiples of 1/Parts, so classes have up to Parts atoms; 0 means 4, below 0 no grid

	// Designs are the allowed designs; nil means m = 0, 1, 2 and u = 1, 2, at least two examples, with π = 1/4, 1/2 and
	// 3/4, case-control and independent views. [Design.Vary] makes such lists.
	Designs []Design

	Random int    // random populations, each measured under one design, in turn; 0 means 300, below 0 none
	Climbs int    // climbs, from the worst case of each design, worst designs first; 0 means 3, below 0 none
	Steps  int    // cases tried in each climb; 0 means 100
	Seed   uint64 // of random cases and steps; used as given, 0 included

	Tolerance float64 // numbers above it count as found; 0 means 1e-9, which allows for rounding
	Keep      float64 // fraction of the largest number that the simplified case must keep; 0 means 0.9
	MaxCases  int     // a larger search is an error; 0 means 20 000
	Oriented  bool    // the grid keeps rotated and mirrored copies, which are equivalent for objectives of similarities

	// Progress, if not nil, is called before the first case, with Done 0, and after each one.
	Progress func(SearchProgress)
}

// SearchProgress is the progress of a search.
type SearchProgress struct {
	Stage string // "grid", "random", "climb" or "simplify"
	Done  int    // cases measured
	Total int    // cases at most; simplification usually needs fewer than its limit
	Worst Case   // so far
}

// SearchPlan is the size of a search in cases, by stage. All numbers are exact except Simplify, which is an upper
// bound.
type SearchPlan struct {
	Grid, Random, Climb, Simplify int
}

// Total returns the number of cases at most.
func (p SearchPlan) Total() int { return p.Grid + p.Random + p.Climb + p.Simplify }

// String returns "1065 on the grid, 300 at random, 300 climbing, up to 66 simplifying".
func (p SearchPlan) String() string {
	return fmt.Sprintf("%d on the grid, %d at random, %d climbing, up to %d simplifying", p.Grid, p.Random, p.Climb, p.Simplify)
}

// Plan returns the number of cases that [Search.Run] will measure, and an error if Run would reject the search itself.
func (s Search) Plan() (plan SearchPlan, err error) {
	defer must.Catch(&err)
	_, _, plan = s.prepare()
	return plan, nil
}

// Run runs the search. The same search with the same question gives the same result on the same engine.
//
// It stops when ctx is done and when a case cannot be measured, for example because the objective is not finite there.
// Both are errors, and the result then holds the findings so far.
func (s Search) Run(ctx context.Context, q Question) (result SearchResult, err error) {
	defer must.Catch(&err)
	if q.Ask == nil {
		must.Fail("theory: a question without Ask, so there is nothing to search for; LossBias(meter, nil) makes one")
	}
	c, populations, plan := s.prepare()
	q.Name, q.Yes, q.No = cmp.Or(q.Name, "question"), cmp.Or(q.Yes, "found"), cmp.Or(q.No, "not found")
	result = SearchResult{Question: q.Name, Answer: q.No, Tolerance: c.Tolerance, Keep: c.Keep, Seed: c.Seed}
	run := &searchRun{
		Search: c, ctx: ctx, question: q, plan: plan, rng: rand.New(rand.NewPCG(c.Seed, 0x5ea7c4)),
		result: &result, worst: make([]*Case, len(c.Designs)),
	}
	run.all(populations)
	return result, nil
}

// prepare fills in defaults, checks everything and lists the grid.
func (s Search) prepare() (Search, []Population, SearchPlan) {
	if s.Points == nil {
		s.Points = Circle(4)
	}
	if s.Designs == nil {
		s.Designs = slices.DeleteFunc(Design{}.Vary([]int{0, 1, 2}, []int{1, 2}, []float64{0.25, 0.5, 0.75}),
			func(d Design) bool { return d.Examples() < 2 })
	}
	s.Atoms, s.Parts, s.Random = cmp.Or(s.Atoms, 2), cmp.Or(s.Parts, 4), cmp.Or(s.Random, 300)
	s.Climbs, s.Steps, s.MaxCases = cmp.Or(s.Climbs, 3), cmp.Or(s.Steps, 100), cmp.Or(s.MaxCases, 20_000)
	s.Tolerance, s.Keep = cmp.Or(s.Tolerance, 1e-9), cmp.Or(s.Keep, 0.9)
	s.check()
	var populations []Population
	if s.Parts > 0 {
		populations = grid(s.Points, s.Atoms, s.Parts, s.Oriented)
	}
	plan := SearchPlan{Grid: len(populations) * len(s.Designs), Random: max(s.Random, 0), Simplify: simplifyBound(s.Atoms, len(s.Designs))}
	if plan.Grid+plan.Random == 0 {
		must.Fail("theory: a search with neither a grid nor random cases; leave Parts or Random at 0 for the usual number")
	}
	// Climbs start from the measured cases of the first stages, one for each design among them.
	met := len(s.Designs)
	if plan.Grid == 0 {
		met = min(met, plan.Random)
	}
	climbs := min(max(s.Climbs, 0), met)
	// Added as floating-point numbers, since the size of a far too large search may overflow an int.
	size := float64(plan.Grid) + float64(plan.Random) + float64(climbs)*float64(s.Steps) + float64(plan.Simplify)
	if size > float64(s.MaxCases) {
		must.Fail("theory: %d populations on the grid under %d designs, %d random cases, %d climbs of %d steps and up to %d cases "+
			"to simplify make %.3g, more than MaxCases = %d; take fewer, or raise it",
			len(populations), len(s.Designs), plan.Random, climbs, s.Steps, plan.Simplify, size, s.MaxCases)
	}
	plan.Climb = climbs * s.Steps
	return s, populations, plan
}

// maxSearchAtoms is the most atoms of a class; measuring and simplifying larger ones takes too long.
const maxSearchAtoms = 100

// check rejects invalid settings after defaults are filled in.
func (s Search) check() {
	switch {
	case len(s.Points) == 0:
		must.Fail("theory: a search with an empty list of Points; leave it nil for Circle(4), or set Corners(3) for example")
	case len(s.Points[0]) == 0:
		must.Fail("theory: a search whose points have no coordinates")
	case len(s.Designs) == 0:
		must.Fail("theory: a search with an empty list of Designs; leave it nil for the usual ones, or set one")
	case s.Atoms < 1 || s.Atoms > maxSearchAtoms:
		must.Fail("theory: a search with Atoms = %d; each class needs at least 1 and may have %d", s.Atoms, maxSearchAtoms)
	case s.Steps < 1:
		must.Fail("theory: a search with Steps = %d; a climb takes at least 1 (Climbs below 0 means no climbing)", s.Steps)
	case s.MaxCases < 1:
		must.Fail("theory: a search with MaxCases = %d; it must allow at least 1", s.MaxCases)
	case !(s.Tolerance > 0) || math.IsInf(s.Tolerance, 0):
		must.Fail("theory: a search with Tolerance = %g; it must be a small positive number, 1e-9 for example", s.Tolerance)
	case !(s.Keep > 0 && s.Keep <= 1):
		must.Fail("theory: a search with Keep = %g; it is a share, above 0 and at most 1", s.Keep)
	}
	for i, z := range s.Points {
		must.Wrap((Atom{Z: z}).validate(len(s.Points[0])), "theory: point %d of the search", i)
	}
	for i, d := range s.Designs {
		if err := d.Validate(); err != nil {
			must.Fail("%w (design %d of the search)", err, i)
		}
	}
}

// searchRun is a running search.
type searchRun struct {
	Search
	ctx      context.Context
	question Question
	plan     SearchPlan
	rng      *rand.Rand
	stage    string
	result   *SearchResult
	worst    []*Case // of each design, nil if none was measured
}

// all runs all stages.
func (r *searchRun) all(populations []Population) {
	r.stage = "grid"
	if len(populations) == 0 {
		r.stage = "random"
	}
	r.report()
	for _, p := range populations {
		for i := range r.Designs {
			r.measure(p, i)
		}
	}
	r.stage = "random"
	for k := range r.plan.Random {
		p := Population{randomClass(r.rng, r.Atoms, len(r.Points[0])), randomClass(r.rng, r.Atoms, len(r.Points[0]))}
		r.measure(p, k%len(r.Designs))
	}
	r.climb()
	if r.result.Worst.Value.Low > r.Tolerance {
		r.simplify()
		if r.question.Again != nil {
			r.confirm()
		}
	}
}

// measure measures the question for a population under the design of that number, and keeps a case that is worse than
// all before. It ends the search if ctx is done or the measurement fails.
func (r *searchRun) measure(p Population, design int) Case {
	must.Wrap(r.ctx.Err(), "theory: search stopped after %d of %d cases", r.result.Cases, r.plan.Total())
	c := Case{Population: p, Design: r.Designs[design], Value: Exactly(math.NaN())}
	value, err := finiteAnswer(r.question.Ask(p, c.Design))
	must.Wrap(err, "theory: search stopped at case %d, %s", r.result.Cases+1, c)
	c.Value = value
	r.result.Cases++
	if best := r.worst[design]; best == nil || value.Low > best.Value.Low {
		r.worst[design] = &c
	}
	if r.result.Cases == 1 || value.Low > r.result.Worst.Value.Low {
		r.result.Worst, r.result.Simple = c, c
		r.result.Trail = append(r.result.Trail, SearchStep{r.stage, r.result.Cases, c})
		r.answer(value.Low > r.Tolerance && r.question.Again == nil)
	}
	r.report()
	return c
}

// finiteAnswer returns an error if a measured value is not finite, since it then decides nothing.
func finiteAnswer(value Number, err error) (Number, error) {
	if err == nil && (!isFinite(value.Value) || !isFinite(value.Low)) {
		err = fmt.Errorf("theory: the question's answer is %s; it must be finite", value)
	}
	return value, err
}

// confirm measures the simplified case with fresh draws; that value decides.
func (r *searchRun) confirm() {
	value, err := finiteAnswer(r.question.Again(r.result.Simple.Population, r.result.Simple.Design))
	must.Wrap(err, "theory: measuring the simplified case anew")
	r.result.Confirmed = &value
	r.answer(value.Low > r.Tolerance)
}

func (r *searchRun) answer(found bool) {
	r.result.Found, r.result.Answer = found, r.question.No
	if found {
		r.result.Answer = r.question.Yes
	}
}

func (r *searchRun) report() {
	if r.Progress != nil {
		r.Progress(SearchProgress{r.stage, r.result.Cases, r.plan.Total(), r.result.Worst})
	}
}
