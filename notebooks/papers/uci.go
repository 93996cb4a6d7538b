package papers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/pucl/train"
)

// uciSet is a table of the UCI repository as PU data: its files, and its positive rows.
type uciSet struct {
	name  string
	files []string // one after the other
	comma string   // between values; "" means white space

	header    bool // the first line of each file names the columns
	class     int  // column of the class; a negative number counts from the end; see also firstFile
	firstFile bool // the rows of the first file are positive, and there is no class column
	positive  string
	negative  string
	above     float64 // if positive is "": the classes above this number
	// labeled is the protocol's n_P; positives and negatives are the numbers of unlabeled ones, at a class prior of ¼.
	labeled     int
	positives   int
	negatives   int
	passes      int     // epochs of a baseline
	corruption  float64 // fraction of a row's features that a view takes from other rows; 0 means corrupted
	description string
}

// uciSets are six tables with published estimates of the class prior, with the numbers of examples of that protocol.
//
// Source: the program of Dmitry Ivanov, "DEDPUL: Difference-of-Estimated-Densities-based Positive-Unlabeled Learning",
// ICMLA 2020 (dimonenka/DEDPUL), at a share of negatives of ¾ among unlabeled examples.
func uciSets() []uciSet {
	return []uciSet{
		{name: "spambase", files: []string{"spambase.csv"}, comma: ",", class: -1, positive: "1", negative: "0",
			labeled: 400, positives: 929, negatives: 2788, passes: 40, description: "spam"},
		{name: "mushroom", files: []string{"mushroom.csv"}, comma: ",", positive: "p", negative: "e",
			labeled: 1000, positives: 1000, negatives: 3000, passes: 40, description: "poisonous"},
		{name: "landsat", files: []string{"landsat-train.txt", "landsat-test.txt"}, class: -1, above: 3,
			labeled: 1000, positives: 1000, negatives: 3000, passes: 40, description: "classes above 3"},
		{name: "wine", files: []string{"wine-red.csv", "wine-white.csv"}, comma: ";", header: true, firstFile: true,
			labeled: 500, positives: 1099, negatives: 3297, passes: 40, description: "red"},
		{name: "page blocks", files: []string{"pageblock.txt"}, class: -1, above: 1,
			labeled: 100, positives: 460, negatives: 1380, passes: 80, description: "no text"},
		{name: "shuttle", files: []string{"shuttle-train.txt", "shuttle-test.txt"}, class: -1, above: 1,
			labeled: 1000, positives: 11414, negatives: 34242, passes: 8, description: "classes above 1"},
	}
}

// read returns the table and a digest of its files. Every column has mean 0 and standard deviation 1 over all rows,
// including test rows (this uses no classes); class 1 is the positive one.
func (u uciSet) read() (*tabular.Table, string, error) {
	var lines [][]string
	var content []byte
	var labels []int
	for i, name := range u.files {
		text, err := readUCI(name)
		if err != nil {
			return nil, "", err
		}
		content = append(content, text...)
		for number, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			if u.header && number == 0 {
				continue
			}
			values := strings.Fields(line)
			if u.comma != "" {
				values = strings.Split(strings.TrimSpace(line), u.comma)
			}
			positive := i == 0
			if !u.firstFile {
				at := (u.class + len(values)) % len(values)
				if positive, err = u.isPositive(values[at]); err != nil {
					return nil, "", fmt.Errorf("papers: %s, line %d: %w", name, number+1, err)
				}
				values = slices.Delete(values, at, at+1)
			}
			if len(lines) > 0 && len(values) != len(lines[0]) {
				return nil, "", fmt.Errorf("papers: %s, line %d has %d values and the first one %d: is it the file as UCI has it?",
					name, number+1, len(values), len(lines[0]))
			}
			labels = append(labels, 0)
			if positive {
				labels[len(labels)-1] = 1
			}
			lines = append(lines, values)
		}
	}
	if len(lines) == 0 || len(lines[0]) == 0 {
		return nil, "", fmt.Errorf("papers: there are no features in %s: are they the files as UCI has them?", strings.Join(u.files, " and "))
	}
	table := &tabular.Table{Features: mat.NewDense(len(lines), len(lines[0]), nil), Labels: labels, Classes: []string{"others", u.description}}
	for j := range lines[0] {
		values, err := column(lines, j)
		if err != nil {
			return nil, "", fmt.Errorf("papers: %s, %w: is it the file as UCI has it?", strings.Join(u.files, " and "), err)
		}
		table.Features.SetCol(j, values)
	}
	table.Standardize()
	return table, train.Digest(content), nil
}

// source describes the files for a record.
func (u uciSet) source(digest string) string {
	return fmt.Sprintf("UCI's %s (files with digest %s)", u.name, digest)
}

// isPositive reports whether a class is the positive one.
func (u uciSet) isPositive(class string) (bool, error) {
	if u.positive != "" {
		if class != u.positive && class != u.negative {
			return false, fmt.Errorf("class %q is neither %q nor %q: is it the file as UCI has it?", class, u.positive, u.negative)
		}
		return class == u.positive, nil
	}
	number, err := strconv.ParseFloat(class, 64)
	if err != nil || math.IsNaN(number) {
		return false, fmt.Errorf("class %q is no number: is it the file as UCI has it?", class)
	}
	return number > u.above, nil
}

// column returns column j as numbers; if none of its values is a number, values are numbered in alphabetical order. It
// returns an error if only some are numbers, or if one is not finite.
func column(lines [][]string, j int) ([]float64, error) {
	numbers := make([]float64, len(lines))
	var categories []string
	for i, line := range lines {
		number, err := strconv.ParseFloat(line[j], 64)
		if err != nil {
			categories = append(categories, line[j])
		} else if math.IsNaN(number) || math.IsInf(number, 0) {
			return nil, fmt.Errorf("column %d has the value %q, which is no finite number", j+1, line[j])
		}
		numbers[i] = number
	}
	if len(categories) == 0 {
		return numbers, nil
	}
	if len(categories) < len(lines) {
		return nil, fmt.Errorf("column %d has numbers, and values such as %q that are none", j+1, categories[0])
	}
	slices.Sort(categories)
	categories = slices.Compact(categories)
	for i, line := range lines {
		at, _ := slices.BinarySearch(categories, line[j])
		numbers[i] = float64(at)
	}
	return numbers, nil
}

// uciNames are the repository's names of files, if they differ.
var uciNames = map[string]string{
	"spambase.csv": "spambase.data", "mushroom.csv": "agaricus-lepiota.data", "pageblock.txt": "page-blocks.data",
	"wine-red.csv": "winequality-red.csv", "wine-white.csv": "winequality-white.csv",
	"landsat-train.txt": "sat.trn", "landsat-test.txt": "sat.tst", "shuttle-train.txt": "shuttle.trn", "shuttle-test.txt": "shuttle.tst",
}

// readUCI returns the content of a file of the UCI repository.
func readUCI(name string) ([]byte, error) {
	folders := datasets.Folders("uci")
	for _, folder := range folders {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if !errors.Is(err, fs.ErrNotExist) {
			return content, err
		}
	}
	return nil, fmt.Errorf("papers: there is no %s in %s: fetch %s from the UCI Machine Learning Repository, unpacked, and put it there "+
		"under this name: %w", name, strings.Join(folders, ", "), cmp.Or(uciNames[name], name), fs.ErrNotExist)
}
