package sample

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestShuffledGoesThroughAllRows(t *testing.T) {
	next := Shuffled(7, 3, rand.New(rand.NewPCG(1, 1)))
	for range 5 {
		rows := slices.Concat(next(), next()) // the seventh waits
		slices.Sort(rows)
		expect.That(t, len(slices.Compact(rows)) == 6 && rows[0] >= 0 && rows[5] <= 6,
			"two batches of one order hold the rows %v", rows)
	}
}

func TestStratifiedKeepsTheShareAndMissesNoRow(t *testing.T) {
	labels := make([]bool, 100)
	for i := range 7 {
		labels[i*11] = true
	}
	next := Stratified(labels, 20, rand.New(rand.NewPCG(1, 1)))
	seen := map[int]int{}
	for range 50 {
		trues := 0
		for _, row := range next() {
			seen[row]++
			if labels[row] {
				trues++
			}
		}
		if trues != 1 { // 20·7/100, rounded
			t.Fatalf("%d of 20 rows are labeled, want 1", trues)
		}
	}
	for row := range labels {
		expect.That(t, seen[row] >= 6, "row %d came %d times in 50 batches", row, seen[row])
	}
}

// Even of the rarest label one is in every batch.
func TestStratifiedBatchesHoldBothKinds(t *testing.T) {
	labels := make([]bool, 100)
	labels[42] = true
	for _, want := range []bool{true, false} {
		next := Stratified(labels, 10, rand.New(rand.NewPCG(1, 1)))
		for range 20 {
			if batch := next(); len(batch) != 10 || !slices.ContainsFunc(batch, func(row int) bool { return labels[row] == want }) {
				t.Fatalf("no row with the label %v in %v", want, batch)
			}
		}
		for i := range labels {
			labels[i] = !labels[i]
		}
	}
}

// A batch of one row cannot hold both kinds; the batches go through the rows of both.
func TestStratifiedBatchesOfOneRow(t *testing.T) {
	next := Stratified([]bool{true, false, false, false, false}, 1, rand.New(rand.NewPCG(1, 1)))
	var seen []int
	for range 5 {
		seen = append(seen, next()...)
	}
	slices.Sort(seen)
	expect.That(t, slices.Equal(seen, []int{0, 1, 2, 3, 4}), "5 batches of one row of 5 hold the rows %v", seen)
}

// All published numbers depend on these draws, so they must not change.
func TestDraws(t *testing.T) {
	shuffled := Shuffled(5, 2, rand.New(rand.NewPCG(1, 2)))
	stratified := Stratified([]bool{true, false, false, true, false}, 3, rand.New(rand.NewPCG(1, 2)))
	var a, b []int
	for range 4 {
		a, b = append(a, shuffled()...), append(b, stratified()...)
	}
	if !slices.Equal(a, []int{1, 4, 2, 0, 2, 3, 4, 0}) || !slices.Equal(b, []int{2, 1, 3, 4, 1, 0, 2, 4, 0, 4, 1, 3}) {
		t.Errorf("shuffled %d, stratified %d", a, b)
	}
}

func TestLabels(t *testing.T) {
	got := Labels([]bool{true, false, false})([]int{2, 0}).Value().([]bool)
	expect.That(t, slices.Equal(got, []bool{false, true}), "labels of rows 2 and 0: %v", got)
	expect.Equal(t, Classes([]int{5, 6, 7})([]int{2, 0}).Value().([]int32), []int32{7, 5}, "classes of rows 2 and 0")
}
