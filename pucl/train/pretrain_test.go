package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/optim"
)

func TestPretrainLearns(t *testing.T) {
	eng := enginetest.Open(t)
	var seen []Progress
	config := paper(30)
	config.Observer = OnStep(func(p Progress) { seen = append(seen, p) })
	m := expect.Must(Pretrain(context.Background(), eng, stripesOf(16, 4), config))(t)
	mean := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v / float64(len(x))
		}
		return sum
	}
	first, last := mean(m.History.Losses[:5]), mean(m.History.Losses[25:])
	expect.That(t, !(last > first-0.2), "the loss went from %.3f to %.3f, which is no learning", first, last)
	expect.That(t, len(seen) == 30 && seen[29].Step == 30 && seen[29].Views == 30*32 &&
		seen[29].Loss == m.History.Losses[29], "progress ended with %+v after %d calls", seen[len(seen)-1], len(seen))
	expect.Contains(t, m.Record.Settings, "PUCL", "seed 5", "30 steps", "width 2", "0.08–1")
	if m.Record.Data != "images 12×12×1, stripes" || !reflect.DeepEqual(m.Record.Environment, eng.Environment()) || m.Record.Earlier != nil {
		t.Errorf("the record names data %q and the environments %+v, %+v", m.Record.Data, m.Record.Environment, m.Record.Earlier)
	}
}

// The losses of training on images when this list was made, on XLA; other engines and processors round differently.
func TestPretrainOnImagesStaysTheSame(t *testing.T) {
	want := []float64{3.633472204208374, 3.6894688606262207, 3.6985981464385986, 3.7834413051605225, 3.5160808563232422,
		3.659182071685791}
	m := expect.Must(Pretrain(context.Background(), enginetest.Open(t), stripesOf(16, 4), paper(12)))(t)
	for step, loss := range want {
		near(t, "loss", m.History.Losses[step], loss, 1e-4)
	}
	settings := "PUCL, τ 0.5, 12 steps, Adam, rate up to 0.01, " + optim.Cosine{}.String() + "; views: crops of 0.08–1 of the area, " +
		"ratio up to 1.33, brightness ±0.4, contrast ±0.4, jitter probability 0.8; encoder: SmallCNN width 2, 8-d (pixels − 0.286)/0.353; " +
		"projection 4-d; seed 5"
	expect.That(t, m.Record.Settings == settings, "settings %q, want %q", m.Record.Settings, settings)
}

// failing returns a task whose batch of the given step fails.
func failing(at int, fail func() error) Task {
	task := regression()
	task.Batch = func(step int) (Batch, error) {
		if step == at {
			return Batch{}, fail()
		}
		return points(step)
	}
	return task
}

// A failing batch ends a run at its own step, though it was requested earlier, and after a checkpoint is saved. Once
// the batch is available, the run resumes exactly.
func TestBatchErrorComesAtItsStep(t *testing.T) {
	eng := enginetest.Open(t)
	settings := Settings{Steps: 6, LearningRate: 0.05}
	whole := regression()
	history := runTask(t, eng, whole, settings)
	broken := errors.New("the disk is gone")
	for _, at := range []int{0, 1, 4, 5} {
		settings.Checkpoint = t.TempDir()
		watching := &witness{}
		settings.Observer = watching
		_, err := Run(context.Background(), eng, failing(at, func() error { return broken }), settings)
		expect.That(t, errors.Is(err, broken) && watching.Steps == at && watching.Ends == 1 && watching.Err == err,
			"no batch for step %d: %v, and the observer saw %+v", at, err, watching)
		if at > 0 {
			names(t, "no batch", err, fmt.Sprintf("the state after %d steps is saved in %s", at, filepath.Join(settings.Checkpoint, checkpointFile)))
		}
		settings.Observer = nil
		task := regression()
		expect.Equal(t, runTask(t, eng, task, settings), history, "no batch for step %d: gone on with, the history", at)
		paths := differing(t, whole, task)
		expect.That(t, paths == nil, "no batch for step %d: %v differ", at, paths)
	}
}

// However a run ends, its caller gets the cause, and its goroutine has ended.
func TestNoGoroutineIsLeft(t *testing.T) {
	eng := enginetest.Open(t)
	settings := Settings{Steps: 5, LearningRate: 0.05}
	runTask(t, eng, regression(), settings) // the engine has started its own goroutines
	broken := errors.New("broken")
	panicking := failing(2, func() error { panic("no such row") })
	faulty := regression()
	faulty.AfterStep = func(int) (*Reading, error) { return nil, broken }
	wrong := regression()
	wrong.Loss = nil
	graphless := regression()
	graphless.Outputs = line("")
	hasty := regression()
	hasty.AfterStep = func(int) (*Reading, error) { panic("in AfterStep") }
	for _, tt := range []struct {
		name     string
		task     Task
		stopAt   int
		panicked any
		failed   bool
	}{
		{"well", regression(), -1, nil, false},
		{"stopped", regression(), 2, nil, true},
		{"no batch", failing(3, func() error { return broken }), -1, nil, true},
		{"a panic of Batch", panicking, -1, "no such row", false},
		{"a panic of AfterStep", hasty, -1, "in AfterStep", false},
		{"an error of AfterStep", faulty, -1, nil, true},
		{"a task without a loss", wrong, -1, nil, true},
		{"a graph that cannot be built", graphless, -1, nil, true},
	} {
		before := runtime.NumGoroutine()
		ctx, observer := stopAfter(tt.stopAt)
		settings.Observer = observer
		func() {
			defer func() {
				got := recover()
				expect.That(t, got == tt.panicked, "%s: panicked with %v, want %v", tt.name, got, tt.panicked)
			}()
			_, err := Run(ctx, eng, tt.task, settings)
			expect.That(t, (err != nil) == tt.failed, "%s: %v", tt.name, err)
		}()
		after := runtime.NumGoroutine()
		for range 100 { // the engine's goroutines may take a moment
			if after <= before {
				break
			}
			time.Sleep(10 * time.Millisecond)
			after = runtime.NumGoroutine()
		}
		expect.That(t, after <= before, "%s: %d goroutines before, %d after", tt.name, before, after)
	}
}

// Training on an image folder equals training on the same images in memory. A broken file stops it with an error that
// names the file; once the file is repaired, the run resumes exactly from its checkpoint.
func TestPretrainOnAnImageFolder(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(2, 2))
	files := fstest.MapFS{}
	for i := range 40 {
		picture := image.NewGray(image.Rect(0, 0, 12, 12))
		copy(picture.Pix, stripe(rng, i%2 == 0))
		var file bytes.Buffer
		expect.NoError(t, png.Encode(&file, picture))
		files[fmt.Sprintf("%s/%02d.png", []string{"across", "down"}[i%2], i)] = &fstest.MapFile{Data: file.Bytes()}
	}
	set := expect.Must(folder.Open(files, folder.Config{Height: 12, Width: 12, Gray: true}))(t)
	images := expect.Must(set.Load(t.Context()))(t)
	pu := expect.Must(datasets.NewPU(images, datasets.SplitConfig{Positive: []int{0}, Labeled: 8, Seed: 1}))(t)
	cfg := datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1}
	memory := expect.Must(datasets.NewBatches(pu, cfg))(t)
	want := expect.Must(Pretrain(context.Background(), eng, memory, quick(6)))(t)
	streamed := expect.Must(datasets.NewSourceBatches(set, pu.Split, cfg))(t)

	// An image that the first two steps do not use.
	bad := ""
	early := slices.Concat(streamed.Rows(0), streamed.Rows(1))
	for _, example := range slices.Concat(streamed.Rows(2), streamed.Rows(3), streamed.Rows(4)) {
		row := pu.Index[example]
		if !slices.ContainsFunc(early, func(e int) bool { return pu.Index[e] == row }) {
			bad = set.Path(row)
			break
		}
	}
	expect.Require(t, bad != "", "every image is in the first two batches")
	whole := files[bad].Data
	files[bad].Data = whole[:len(whole)/2]
	config := quick(6)
	config.Checkpoint = t.TempDir()
	_, err := Pretrain(context.Background(), eng, streamed, config)
	expect.Require(t, err != nil && strings.Contains(err.Error(), bad), "error %v does not name %s", err, bad)
	files[bad].Data = whole
	done := 0
	config.Observer = OnStep(func(Progress) { done++ })
	got := expect.Must(Pretrain(context.Background(), eng, streamed, config))(t)
	expect.That(t, done != 0 && done <= 4,
		"%d steps after mending, want those that were left: the first two were good", done)
	expect.That(t, slices.Equal(got.History.Losses, want.History.Losses),
		"losses %v, from memory %v", got.History.Losses, want.History.Losses)
	expect.That(t, got.Record.Data == want.Record.Data && strings.HasPrefix(got.Record.Data, "images 12×12×1, PU data"),
		"the record tells of %q, from memory of %q", got.Record.Data, want.Record.Data)
}
