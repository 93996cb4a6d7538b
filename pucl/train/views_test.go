package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/optim"
)

// classed are stripes of three classes, or of the given number.
type classed struct {
	stripes
	count int // number of classes missing or in excess
	fails error
}

func (c classed) Classes(int) (class []int32, err error) {
	for i := range c.Size + c.count {
		class = append(class, int32(i%3))
	}
	return class, c.fails
}

// counting returns an objective whose loss is the number of rows of an anchor's class plus a hundred times the number
// of rows of its own example.
func counting() pucl.Objective {
	count := func(b *pucl.Block, mask *Node) *Node { return ReduceSum(ConvertDType(mask, b.Sim.DType()), -1) }
	return pucl.Objective{Name: "counting", Attract: pucl.Nothing, Repel: func(b *pucl.Block) *Node {
		counted := Add(count(b, b.SameClass), MulScalar(count(b, b.OwnView), 100))
		return Add(counted, MulScalar(pucl.LogPartition(b), 0))
	}}
}

// Every image of a batch has the configured number of views, with its class, whole and in micro-batches.
func TestViewsAndClassesReachTheObjective(t *testing.T) {
	eng := enginetest.Open(t)
	for _, views := range []int{0, 2, 3} {
		for _, parts := range []int{1, 2} {
			config := quick(1)
			config.Objective, config.Views, config.Compute.MicroBatches = counting(), views, parts
			m := expect.Must(Pretrain(context.Background(), eng, classed{stripes: stripesOf(8, 0)}, config))(t)
			v := float64(max(views, 2))
			want := (3*(3*v-1)+3*(3*v-1)+2*(2*v-1))/8 + 100*(v-1) // classes of 3, 3 and 2 images
			if got := m.History.Losses[0]; math.Abs(got-want) > 1e-4 {
				t.Errorf("%d views in %d parts: counted %g, want %g", views, parts, got, want)
			}
			expect.That(t, math.Abs(m.History.Chance-want) <= 1e-4,
				"%d views: at chance %g, want %g", views, m.History.Chance, want)
			told := strings.Contains(m.Record.Settings, "views: 3 of every image")
			expect.That(t, told == (views == 3), "%d views are recorded as %q", views, m.Record.Settings)
		}
	}
}

// Batches with classes train an objective that does not use them as batches without classes do.
func TestClassesThatNobodyLooksAtChangeNothing(t *testing.T) {
	eng := enginetest.Open(t)
	with := expect.Must(Pretrain(context.Background(), eng, classed{stripes: stripesOf(8, 2)}, quick(2)))(t)
	without := expect.Must(Pretrain(context.Background(), eng, stripesOf(8, 2), quick(2)))(t)
	for i, loss := range with.History.Losses {
		expect.That(t, loss == without.History.Losses[i],
			"step %d: loss %g with classes, %g without", i, loss, without.History.Losses[i])
	}
}

func TestViewsAndClassesRefused(t *testing.T) {
	eng := enginetest.Open(t)
	run := func(batches Batches, views int) error {
		config := quick(1)
		config.Objective, config.Views = pucl.TrueNegatives(0), views
		_, err := Pretrain(context.Background(), eng, batches, config)
		return err
	}
	refusal.Check(t, run(classed{stripes: stripesOf(8, 0)}, 1), "Views 1 of every image … 2 or more, and 0 means 2")
	refusal.Check(t, run(classed{stripes: stripesOf(8, 0), count: -1}, 2),
		"batch 0 … 7 classes of 8 images … one for each")
	refusal.Check(t, run(classed{stripes: stripesOf(8, 0), fails: errors.New("no file; copy it")}, 2),
		"batch 0: no file … copy it")
	refusal.Check(t, run(stripesOf(8, 0), 2), "a term looks at a mask that is nil … Views.Class")
	config := quick(1)
	config.Objective, config.Views = pucl.DCL(pucl.DCLConfig{Positives: 3}), 4 // which requires more than two views
	expect.NoError(t, expect.Err(Pretrain(context.Background(), eng, stripesOf(8, 0), config)))
	_, err := PretrainFeatures(context.Background(), eng, stripedRows{}, Config{Steps: 1, Views: 3})
	refusal.Check(t, err, "3 views of every row … hold 2: leave Views 0")
}

// pairedStripes are stripes whose second views are made of the stripes of the next step.
type pairedStripes struct {
	stripes
	short int
}

func (p pairedStripes) Seconds(step int) ([]uint8, error) {
	pixels, _, err := p.Batch(step + 1)
	return pixels[p.short:], err
}

// The second views are made of the images that Seconds returns, whole and in micro-batches; a network with trivial
// weights observes them.
func TestSecondsAreSeen(t *testing.T) {
	eng := enginetest.Open(t)
	for _, parts := range []int{1, 2} {
		config := quick(2)
		config.Recipe, config.Compute.MicroBatches = nil, parts
		loss := func(batches Batches) float64 {
			m := expect.Must(Pretrain(context.Background(), eng, batches, config))(t)
			return m.History.Losses[0]
		}
		plain, same, other := loss(stripesOf(8, 0)), loss(samePairs{stripesOf(8,
			0)}), loss(pairedStripes{stripes: stripesOf(8, 0)})
		expect.That(t, plain == same && plain != other,
			"%d parts: losses %g of images, %g of pairs of one image, %g of pairs of two", parts, plain, same, other)
	}
	_, err := Pretrain(context.Background(), eng, pairedStripes{stripesOf(8, 0), 5}, quick(1))
	refusal.Check(t, err, "batch 0 … 1147 bytes of images for second views, and 1152 for first ones … as many")
	config := quick(1)
	config.Views = 3
	_, err = Pretrain(context.Background(), eng, pairedStripes{stripes: stripesOf(8, 0)}, config)
	refusal.Check(t, err, "3 views of every image … leave Views 0")
}

// samePairs are stripes whose second views are made of the images themselves.
type samePairs struct{ stripes }

func (p samePairs) Seconds(step int) ([]uint8, error) {
	pixels, _, err := p.Batch(step)
	return pixels, err
}

// renamed are batches with another String.
type renamed struct{ Batches }

func (renamed) String() string    { return "renamed" }
func (r renamed) Unwrap() Batches { return r.Batches }

// Batches that wrap others train with the classes and the second views of the wrapped ones, and are distinguished by
// their own String.
func TestWrappedBatches(t *testing.T) {
	eng := enginetest.Open(t)
	run := func(batches Batches, objective pucl.Objective) *Model {
		config := quick(2)
		config.Objective = objective
		return expect.Must(Pretrain(context.Background(), eng, batches, config))(t)
	}
	for _, tt := range []struct {
		batches   Batches
		objective pucl.Objective
	}{
		{stripesOf(8, 2), pucl.PUCL()},
		{classed{stripes: stripesOf(8, 0)}, pucl.TrueNegatives(0)},
		{pairedStripes{stripes: stripesOf(8, 2)}, pucl.PUCL()},
	} {
		bare, wrapped := run(tt.batches, tt.objective), run(renamed{renamed{tt.batches}}, tt.objective)
		if got, want := fmt.Sprint(wrapped.History.Losses), fmt.Sprint(bare.History.Losses); got != want || wrapped.Record.Data != "images 12×12×1, renamed" {
			t.Errorf("%T: losses %s of %q, unwrapped %s", tt.batches, got, wrapped.Record.Data, want)
		}
	}
	config := quick(1)
	config.Views = 3
	_, err := Pretrain(context.Background(), eng, renamed{pairedStripes{stripes: stripesOf(8, 0)}}, config)
	refusal.Check(t, err, "3 views of every image … leave Views 0")
}

// colors returns batches of images of 16×16 pixels in one color, red for positives and blue otherwise, with noise.
type colors struct{}

func (colors) ImageShape() (height, width, channels int) { return 16, 16, 3 }

func (colors) String() string { return "colors" }

func (colors) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	rng := rand.New(rand.NewPCG(8, uint64(step)))
	for i := range 8 {
		labeled = append(labeled, i < 2)
		for range 16 * 16 {
			color := [3]uint8{40, 40, 180}
			if i%2 == 0 {
				color = [3]uint8{180, 40, 40}
			}
			for _, c := range color {
				pixels = append(pixels, c+uint8(rng.IntN(60)))
			}
		}
	}
	return pixels, labeled, nil
}

// inColor trains a small ResNet on the paper's views of CIFAR-10, by LARS.
func inColor(steps int) Config {
	return Config{
		Steps: steps, Encoder: encoder.ResNet{Depth: 10, CIFAR: true, Width: 4}, Projection: 4, Seed: 2,
		Recipe: augment.CIFAR(12), Optimizer: optim.LARS{}, LearningRate: 0.5,
	}
}

func TestRecipeRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	for want, bend := range map[string]func(*Config){
		"omentum 2 … it must be less than 1 (0.9 is usual)":                                  func(c *Config) { c.Optimizer = optim.LARS{Momentum: 2} },
		"area, ratio 0.75–1.33, to the images' size … the shares must be positive, in order": func(c *Config) { c.Recipe = augment.Recipe{augment.Crop{MinArea: 3}} },
		"Mean holds 2 numbers … channel": func(c *Config) {
			c.Recipe = augment.Recipe{augment.Normalize{Mean: []float64{0.5, 0.5}, Std: []float64{1, 1}}, augment.Flip{}}
		},
	} {
		config := inColor(1)
		bend(&config)
		refusal.Check(t, refusal.Err(Pretrain(context.Background(), eng, colors{}, config)), want)
	}
}
