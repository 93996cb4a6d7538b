package rival

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/rows"
)

// sorted returns the examples of decks in ascending order.
func sorted(decks ...deck) []int {
	var all []int
	for _, d := range decks {
		all = append(all, d.examples...)
	}
	return slices.Sorted(slices.Values(all))
}

// What is set aside is a share of its kind, drawn by the seed, at least one and not all, and teaches nothing, as an unlabeled example
// with SingleDataset neither; who is not set aside teaches.
func TestAsideIsAPartOfTheExamples(t *testing.T) {
	for _, tt := range []struct {
		method               Method
		positives, unlabeled int // set aside of 10 and of 20
	}{
		{NNPU{Prior: 0.5}, 0, 0},
		{SelfPU{Prior: 0.5}, 0, 2},
		{SelfPU{Prior: 0.5, Gamma: -1}, 0, 0},
		{LaGAM{Prior: 0.5, Judges: 0.01}, 1, 1},
		{LaGAM{Prior: 0.5}, 2, 4},
		{PULNS{Judges: 0.9}, 9, 18},
	} {
		for _, single := range []bool{false, true} {
			draw := func(seed uint64) *run {
				data, config := mixture(10, 30, 1), quick(tt.method, 10)
				data.SingleDataset, config.Seed = single, seed
				return dealt(t, data, config)
			}
			r := draw(1)
			all, unlabeled := rows.All(30), tt.unlabeled
			if single {
				unlabeled += tt.positives // which are unlabeled examples as well
			} else {
				all = all[10:]
			}
			expect.That(t, len(r.aside[0].examples) == tt.positives && len(r.aside[1].examples) == unlabeled,
				"%s, single data set %v: %d are set aside", tt.method, single, r.aside)
			got := sorted(r.positive, r.aside[0])
			expect.That(t, slices.Equal(got, rows.All(10)), "%s: positives %d", tt.method, got)
			if got := sorted(r.unlabeled, r.aside[1]); !slices.Equal(got, all) {
				t.Errorf("%s, single data set %v: unlabeled examples %d", tt.method, single, got)
			}
			for _, example := range sorted(r.aside[0], r.aside[1]) {
				expect.That(t, !slices.Contains(sorted(r.positive, r.unlabeled), example),
					"%s, single data set %v: example %d is set aside and teaches", tt.method, single, example)
			}
			same := func(seed uint64) bool { return slices.Equal(sorted(draw(seed).aside[1]), sorted(r.aside[1])) }
			expect.That(t, same(1) && (tt.unlabeled <= 1 || !same(2)),
				"%s: the seed does not tell what is set aside", tt.method)
		}
	}
}

// The last rows of a batch are examples set aside, as many as the method says, in new views like the others; what else a batch tells
// is of those that teach.
func TestRowsSetAsideAreTheLast(t *testing.T) {
	data := Data{Examples: patterns(120, 70), Labeled: firstAre(20, 120)}
	for _, tt := range []struct {
		method               Method
		positives, unlabeled int
	}{{LaGAM{Prior: 0.5}, 32, 64}, {SelfPU{Prior: 0.5}, 0, 16}} {
		config := quick(tt.method, 4)
		config.Recipe = augment.Recipe{augment.Flip{}}
		r := dealt(t, data, config)
		batch := expect.Must(r.batch(2))(t)
		count := 96 + tt.positives + tt.unlabeled
		for i, x := range batch.Inputs {
			want := 96
			if i < 2 { // examples and their views
				want = count
			}
			got := x.Shape().Dim(0)
			expect.That(t, got == want, "%s: input %d has %d rows, want %d", tt.method, i, got, want)
		}
		pixels := tensors.MustCopyFlatData[uint8](batch.Inputs[0])
		decks, row := []*deck{&r.positive, &r.unlabeled, &r.aside[0], &r.aside[1]}, 0
		for i, count := range []int{32, 64, tt.positives, tt.unlabeled} {
			for _, example := range decks[i].deal(2*count, count) {
				if !slices.Equal(pixels[row*64:row*64+64], data.Examples.(Images).Pixels[example*64:example*64+64]) {
					t.Fatalf("%s: row %d is not the image %d that was dealt", tt.method, row, example)
				}
				row++
			}
		}
		if first, second := batch.Inputs[1], batch.Inputs[2]; r.plan.again &&
			slices.Equal(tensors.MustCopyFlatData[float32](first)[:96], tensors.MustCopyFlatData[float32](second)) {
			t.Errorf("%s: both views are one", tt.method)
		}
		expect.That(t, batch.Examples == 96 && row == count,
			"%s: %d rows of %d examples", tt.method, row, batch.Examples)
	}
}
