package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// The tests start this program as worker and coordinator, selected by these variables.
const (
	asWorker      = "PUCL_TEST_WORKER"      // "LIST INDEX"
	asCoordinator = "PUCL_TEST_COORDINATOR" // folder, see newBench
	gridName      = "PUCL_TEST_GRID"
	desksName     = "PUCL_TEST_DESKS"
	asPacker      = "PUCL_TEST_PACKER" // folder of results
)

func TestMain(m *testing.M) {
	pause = 100 * time.Millisecond
	if text := os.Getenv(asWorker); text != "" {
		list, index, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(index)
		if err != nil {
			panic(err)
		}
		os.Exit(Serve(interrupts.Context(), ServeConfig{List: list, Index: n, Find: fakeGrid, Attached: true}))
	}
	if folder := os.Getenv(asCoordinator); folder != "" {
		if err := (&bench{folder: folder, grid: os.Getenv(gridName), desks: os.Getenv(desksName)}).coordinate(interrupts.Context()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if folder := os.Getenv(asPacker); folder != "" {
		fmt.Fprintln(os.Stderr, packUntilKilled(folder))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fake is the configuration of a run that only counts, with a behavior selected by its kind.
type fake struct {
	Kind  string
	Steps int
	Pause time.Duration // per step
	Every int           // steps between checkpoints
}

// fakeGrids lists the runs of each grid by its name.
var fakeGrids = map[string][]fake{
	"counting":  {{Steps: 40}, {Steps: 40}, {Steps: 40}, {Steps: 40}, {Steps: 40}, {Steps: 40}},
	"training":  {{Kind: "training", Steps: 60}, {Kind: "training", Steps: 60}},
	"diverging": {{Steps: 10}, {Kind: "diverges", Steps: 10}, {Steps: 10}},
	"hungry":    {{Steps: 10}, {Kind: "is killed", Steps: 10}},
	"dying":     {{Kind: "dies at every fifth step", Steps: 20}, {Steps: 10}},
	"mortal":    {{Kind: "dies at every fifth step", Steps: 60}, {Steps: 10}},
	"exploding": {{Kind: "panics", Steps: 10}},
	"poor":      {{Kind: "lacks its data", Steps: 10}, {Kind: "lacks its data", Steps: 10}, {Kind: elsewhere, Steps: 10}},
	"none":      {{Kind: "judges nothing", Steps: 2}},
	"endless":   {{Steps: 100_000, Every: 1_000_000}},
}

// elsewhere is the kind of a run that counts in a separate setting.
const elsewhere = "counts elsewhere"

// fakeGrid returns the grid of that name.
func fakeGrid(name string, size Size) (Grid, error) {
	fakes, ok := fakeGrids[name]
	if !ok {
		return Grid{}, fmt.Errorf("there is no grid %q", name)
	}
	g := Grid{Name: name, Size: size}
	for i, config := range fakes {
		config.Pause, config.Every = 2*time.Millisecond, cmp.Or(config.Every, 5)
		seed := uint64(i)
		setting := "Counting"
		if config.Kind == elsewhere {
			setting = "Other data"
		}
		g.Runs = append(g.Runs, Run{Setting: setting, Method: "fake " + config.Kind, Seed: seed, Config: config, Version: 1,
			Train: config.runOf(seed)})
	}
	return g, nil
}

// runOf returns the function that does the run.
func (f fake) runOf(seed uint64) func(context.Context, *engine.Engine, Place) (*Outcome, error) {
	if f.Kind == "training" {
		return func(ctx context.Context, eng *engine.Engine, place Place) (*Outcome, error) {
			return f.train(ctx, eng, seed, place)
		}
	}
	return func(ctx context.Context, _ *engine.Engine, place Place) (*Outcome, error) {
		return f.count(ctx, seed, place)
	}
}

// tally is the saved state of a counting run.
type tally struct {
	Step  int
	Value float64
}

// count adds numbers and resumes from its saved state.
func (f fake) count(ctx context.Context, seed uint64, place Place) (*Outcome, error) {
	var at tally
	path := filepath.Join(place.Folder, "count.json")
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &at); err != nil {
			return nil, err
		}
	}
	save := func() error {
		data, err := json.Marshal(at)
		if err != nil {
			return err
		}
		return wholefile.Write(path, wholefile.Bytes(data))
	}
	if f.Kind == "lacks its data" {
		return nil, errors.New("the images are not here; fetch them with setup")
	}
	place.Observer.Start(train.Progress{Step: at.Step, Steps: f.Steps})
	began := at.Step
	for at.Step < f.Steps {
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), save())
		}
		time.Sleep(f.Pause)
		at.Step++
		at.Value += rand.New(rand.NewPCG(seed, uint64(at.Step))).Float64()
		if at.Step%f.Every == 0 {
			if err := save(); err != nil {
				return nil, err
			}
		}
		place.Observer.Step(train.Progress{Step: at.Step, Steps: f.Steps})
		switch {
		case f.Kind == "diverges" && at.Step == 7:
			return nil, fmt.Errorf("here: %w", &train.Diverged{Step: 7, Checkpoint: place.Folder + "/good", Folder: place.Folder})
		case f.Kind == "panics" && at.Step == 7:
			panic("a mistake of the program")
		case f.Kind == "is killed" && at.Step == 3, strings.HasPrefix(f.Kind, "dies") && at.Step == began+7:
			self, err := os.FindProcess(os.Getpid())
			if err = errors.Join(err, self.Kill()); err != nil {
				return nil, err
			}
			select {}
		}
	}
	if f.Kind == "judges nothing" {
		return &Outcome{}, nil
	}
	value := at.Value / float64(f.Steps)
	return &Outcome{Points: []Point{{Step: f.Steps, Values: map[string]float64{"value": value}}}}, nil
}

// train trains a small network by nnPU.
func (f fake) train(ctx context.Context, eng *engine.Engine, seed uint64, place Place) (*Outcome, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, labeled, truth := mat.NewDense(120, 2, nil), make([]bool, 120), make([]bool, 120)
	for i := range labeled {
		labeled[i], truth[i] = i < 20, i < 70
		x.SetRow(i, []float64{rng.NormFloat64(), 2*b2f(truth[i]) - 1 + rng.NormFloat64()})
	}
	rows := baseline.Rows{X: x}
	result, err := baseline.Train(ctx, eng, baseline.Data{Examples: rows, Labeled: labeled}, baseline.Config{
		Method: baseline.NNPU{Prior: 0.5}, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Positives: 8, Unlabeled: 24, Seed: seed,
		Settings: train.Settings{Steps: f.Steps, Checkpoint: place.Folder, CheckpointEvery: f.Every,
			Observer: slow{place.Observer, f.Pause}},
	})
	if err != nil {
		return nil, err
	}
	logits, err := result.Network.Score(eng, rows)
	if err != nil {
		return nil, err
	}
	score, err := evaluate.ScoreBinary(logits, truth, 0)
	if err != nil {
		return nil, err
	}
	// The last loss shows whether a killed run reached bit-identical weights.
	last := result.History.Losses[f.Steps-1]
	measured := Point{Step: f.Steps, Test: &score, Values: map[string]float64{"loss": last}}
	return &Outcome{result.Record, []Point{measured}}, nil
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// slow is an observer that delays each step, so that a run can be killed during it.
type slow struct {
	train.Observer
	pause time.Duration
}

func (s slow) Step(p train.Progress) {
	s.Observer.Step(p)
	time.Sleep(s.pause)
}

// bench is a grid with its own store and work folder.
type bench struct {
	folder, grid  string
	desks         string // name of the work folder; "" means work
	again, failed bool
	workers       int
	said          strings.Builder
}

// newBench returns a bench in a folder of the test.
func newBench(t *testing.T, grid string) *bench {
	t.Helper()
	return &bench{folder: t.TempDir(), grid: grid}
}

func (b *bench) store() *Store { return &Store{filepath.Join(b.folder, "results")} }
func (b *bench) work() string  { return filepath.Join(b.folder, cmp.Or(b.desks, "work")) }

// plan returns the grid and its plan.
func (b *bench) plan() (Grid, *Plan, error) {
	grid, err := fakeGrid(b.grid, Smoke)
	if err != nil {
		return grid, nil, err
	}
	plan, err := b.store().NewPlan([]Grid{grid}, b.again, b.failed)
	return grid, plan, err
}

// coordinate does the grid with workers.
func (b *bench) coordinate(ctx context.Context) error {
	_, plan, err := b.plan()
	if err != nil {
		return err
	}
	c := Coordinator{Store: b.store(), Work: b.work(), Workers: b.workers, Line: liveline.Sized(&b.said, false, 200),
		Command: func(list string, index int) *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", asWorker, list, index))
			return cmd
		}}
	return c.Run(ctx, plan)
}

// child starts a coordinator in a separate process.
func (b *bench) child(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCoordinator+"="+b.folder, gridName+"="+b.grid, desksName+"="+b.desks)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	expect.NoError(t, cmd.Start())
	return cmd
}

// standings returns the status of the runs.
func (b *bench) standings(t *testing.T) []Standing {
	t.Helper()
	grid := expect.Must(fakeGrid(b.grid, Smoke))(t)
	return expect.Must(b.store().LookAll(grid))(t)
}

// points returns the measurements of the done runs, by their paths.
func (b *bench) points(t *testing.T) map[string][]Point {
	t.Helper()
	all := map[string][]Point{}
	for _, s := range b.standings(t) {
		if s.State == Done {
			all[s.Run.Path()] = s.Result.Points
		}
	}
	return all
}

// sittingsOf returns the number of sittings (attempts) of the run, by the log of its workers.
func (b *bench) sittingsOf(t *testing.T, run Run) int {
	t.Helper()
	log := expect.Must(os.ReadFile(deskOf(b.work(), Smoke, run).log()))(t)
	return strings.Count(string(log), logMark)
}
