package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// result is a line of the results file: one fit.
type result struct {
	Kind, Set, Method  string
	Seed               uint64
	Labeled, Unlabeled int     // training examples
	AUC, Accuracy      float64 // on test examples of known class
	Proxy              float64 // AUC of held-out labeled positives against held-out unlabeled examples
	Seconds            float64 // of the fit; 0 where it resumed the encoder of another fit
	Processor          float64 // processor seconds of the fit; 0 as for Seconds, and on systems without /proc
}

// header names the columns of the results file.
var header = []string{"kind", "set", "method", "seed", "labeled", "unlabeled", "auc", "accuracy", "proxy",
	"seconds", "processor"}

// record returns r as a line of the results file.
func (r result) record() []string {
	share := func(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
	tenths := func(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
	return []string{r.Kind, r.Set, r.Method, fmt.Sprint(r.Seed), fmt.Sprint(r.Labeled), fmt.Sprint(r.Unlabeled),
		share(r.AUC), share(r.Accuracy), share(r.Proxy), tenths(r.Seconds), tenths(r.Processor)}
}

// append writes r to the end of the file, after a header if the file is empty.
func (r result) append(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	if info.Size() == 0 {
		if err := w.Write(header); err != nil {
			return err
		}
	}
	if err := w.Write(r.record()); err != nil {
		return err
	}
	w.Flush()
	return errors.Join(w.Error(), file.Sync())
}

// readResults reads a results file. A missing file holds no results.
func readResults(path string) ([]result, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = len(header)
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; delete the broken line", path, err)
	}
	var out []result
	for i, line := range lines {
		if i == 0 {
			continue
		}
		one, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w; delete the line", path, i+1, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// parse returns the result of a line of the results file.
func parse(line []string) (r result, err error) {
	r.Kind, r.Set, r.Method = line[0], line[1], line[2]
	var failed []error
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		failed = append(failed, err)
		return x
	}
	r.Seed, r.Labeled, r.Unlabeled = uint64(number(line[3])), int(number(line[4])), int(number(line[5]))
	r.AUC, r.Accuracy, r.Proxy = number(line[6]), number(line[7]), number(line[8])
	r.Seconds, r.Processor = number(line[9]), number(line[10])
	return r, errors.Join(failed...)
}
