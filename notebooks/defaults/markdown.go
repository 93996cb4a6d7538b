package main

import (
	"fmt"
	"slices"
	"strings"
)

// defaults are the methods that package pu chooses today, by the kind of data.
var defaults = map[string]string{"rows": forRows, "images": contrast, "small": contrast}

// tables returns the tables of docs/defaults.md.
func tables(results []result) (string, error) {
	var b strings.Builder
	results = append(guardedResults(results), results...)
	for _, kind := range []string{"rows", "images"} {
		s := studyOf(results, kind)
		if len(s.sets) < 2 {
			return "", fmt.Errorf("%d sets of %s have results of the default and of the naive method, and leaving one out "+
				"requires 2; run the program without -markdown first", len(s.sets), kind)
		}
		s.methodTable(&b, kind)
		s.ruleTable(&b, kind)
	}
	cost(&b, results)
	return b.String(), nil
}

// row appends a row of a Markdown table.
func row(b *strings.Builder, cells ...string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

// rule appends the line below the head of a table: a text column, then numbers.
func rule(b *strings.Builder, texts, numbers int) {
	b.WriteString("|" + strings.Repeat(" --- |", texts) + strings.Repeat(" ---: |", numbers) + "\n")
}

// methodTable appends the mean AUC of each method on each data set, with the means over sets.
func (s study) methodTable(b *strings.Builder, kind string) {
	fmt.Fprintf(b, "### Methods on %s\n\n", kind)
	row(b, append(append([]string{"AUC in %"}, s.sets...), "mean", "accuracy", "seconds", "fits")...)
	rule(b, 1, len(s.sets)+4)
	for _, method := range s.methods {
		cells := []string{method}
		for _, set := range s.sets {
			cells = append(cells, number(s.mean(set, method, auc)))
		}
		cells = append(cells, number(s.overall(s.sets, method, auc)), number(s.overall(s.sets, method, accuracy)),
			whole(s.overall(s.sets, method, processor)), fmt.Sprint(s.count(method)))
		row(b, cells...)
	}
	b.WriteString("\n")
}

// ruleTable appends, for each data set, the method that the other sets choose. It compares this method, the default and
// the guarded choice with the best method on the set and with the naive method, in points of AUC.
func (s study) ruleTable(b *strings.Builder, kind string) {
	s = s.paired()
	fmt.Fprintf(b, "### The rule on %s, one set left out\n\n", kind)
	policies := []string{defaults[kind]}
	if kind == "images" {
		policies = append(policies, guarded)
	}
	head := []string{"left out", "rule from the others", "best here", "rule − best", "rule − naive"}
	for _, name := range policies {
		head = append(head, name+" − best", name+" − naive")
	}
	row(b, head...)
	rule(b, 3, len(head)-3)
	candidates, sums := s.candidates(), make([]float64, len(head)-3)
	for i, set := range s.sets {
		others := slices.Concat(s.sets[:i], s.sets[i+1:])
		chosen, best := s.best(others, candidates), s.best([]string{set}, candidates)
		cells := []string{set, chosen, best}
		for j, name := range append([]string{chosen}, policies...) {
			for k, other := range []string{best, naive} {
				points := s.gain(set, name) - s.gain(set, other)
				sums[2*j+k] += points / float64(len(s.sets))
				cells = append(cells, signed(points))
			}
		}
		row(b, cells...)
	}
	cells := []string{"mean", "", ""}
	for _, sum := range sums {
		cells = append(cells, signed(sum))
	}
	row(b, cells...)
	b.WriteString("\n")
}

// signed formats a difference in points with its sign.
func signed(points float64) string {
	text := fmt.Sprintf("%+.1f", points)
	if text == "-0.0" || text == "+0.0" {
		return "0.0"
	}
	return text
}

// cost appends AUC and processor seconds of Mixture by the number of steps and of images, and of the naive method.
func cost(b *strings.Builder, results []result) {
	b.WriteString("### Steps and images\n\n")
	row(b, "set", "method", "images", "AUC in %", "accuracy", "seconds", "fits")
	rule(b, 2, 5)
	full, few := studyOf(results, "images"), studyOf(results, "small")
	for _, set := range full.sets {
		if len(full.fits[set][half]) == 0 {
			continue
		}
		for _, of := range []struct {
			study
			method string
		}{{full, naive}, {full, contrast}, {full, half}, {few, naive}, {few, contrast}} {
			images, ok := of.mean(set, of.method, func(r result) float64 { return float64(r.Labeled + r.Unlabeled) })
			if ok {
				row(b, set, of.method, fmt.Sprint(images), number(of.mean(set, of.method, auc)),
					number(of.mean(set, of.method, accuracy)), whole(of.mean(set, of.method, processor)),
					fmt.Sprint(len(of.fits[set][of.method])))
			}
		}
	}
}

func accuracy(r result) float64  { return 100 * r.Accuracy }
func processor(r result) float64 { return r.Processor }

// number formats a number with one decimal, or a dash where there is none.
func number(x float64, ok bool) string {
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.1f", x)
}

// whole formats a number without decimals, or a dash where there is none.
func whole(x float64, ok bool) string {
	if !ok || x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", x)
}
