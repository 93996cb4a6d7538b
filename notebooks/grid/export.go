package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/notebooks/experiment"
)

// export writes the runs to the file of -o, or to out.
func (o options) export(out io.Writer, plan *experiment.Plan) error {
	write := exportCSV
	if o.exported == "json" {
		write = exportJSON
	}
	if o.file == "" {
		return write(out, plan)
	}
	return wholefile.Write(o.file, func(w io.Writer) error { return write(w, plan) })
}

// exportJSON writes an array with an object for each run: its state and the complete result, null if there is no
// readable one. Numbers that are not finite are the strings "NaN", "+Inf" and "-Inf".
func exportJSON(w io.Writer, plan *experiment.Plan) error {
	var all []json.RawMessage
	for _, s := range plan.Standings {
		text, err := strictjson.Marshal(struct {
			Size   experiment.Size
			Path   string
			State  experiment.State
			Why    string `json:",omitempty"`
			Result *experiment.Result
		}{plan.Size, s.Run.Path(), s.State, s.Why, s.Result})
		if err != nil {
			return err
		}
		all = append(all, text)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(all)
}

// columns are the first columns of every CSV table, in order. After them come a column "chosen: RULE" for each rule, 1
// if the rule chooses the point for its head and else 0, and a column "value: NAME" for each name of Point.Values.
var columns = []string{
	"size", "setting", "method", "seed", "state", // of the run
	"seconds", "peak bytes", // of the run
	"head", "step", "failure", // of the point; the failure of the run if it has no point
	"test examples", "accuracy", "balanced accuracy", "AUC", "degenerate", // on test examples; fractions from 0 to 1
	"true positive", "false negative", "false positive", "true negative", "threshold", // of two classes
	"held-out labeled", "held-out unlabeled", "told prior", // of held-out PU examples; prior 0 means unknown
	"recall", "predicted positive", "proxy AUC", "proxy accuracy", "PU risk", "Lee–Liu", // on these, see evaluate.PU
}

// The prefixes of the other columns.
const (
	chosenColumn = "chosen: "
	valueColumn  = "value: "
)

// exportCSV writes a header and a row for each point, and a row for each run without points. A cell is empty if its
// number does not exist, and NaN if it is undefined.
func exportCSV(w io.Writer, plan *experiment.Plan) error {
	names := map[string]bool{}
	var table []map[string]any
	for _, s := range plan.Standings {
		for _, cells := range rowsOf(plan.Size, s) {
			for name := range cells {
				names[name] = names[name] || strings.HasPrefix(name, valueColumn)
			}
			table = append(table, cells)
		}
	}
	maps.DeleteFunc(names, func(_ string, value bool) bool { return !value })
	header := slices.Clone(columns)
	for _, rule := range experiment.Rules() {
		header = append(header, chosenColumn+string(rule))
	}
	header = append(header, slices.Sorted(maps.Keys(names))...)
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	for _, cells := range table {
		line := make([]string, len(header))
		for i, name := range header {
			line[i] = cellText(cells[name])
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// rowsOf returns the rows of a run, each by the names of its columns.
func rowsOf(size experiment.Size, s experiment.Standing) (table []map[string]any) {
	run := map[string]any{
		"size": size, "setting": s.Run.Setting, "method": s.Run.Method, "seed": s.Run.Seed, "state": s.State,
	}
	if s.Result == nil {
		return append(table, run)
	}
	run["seconds"], run["peak bytes"], run["failure"] = s.Result.Seconds, s.Result.PeakBytes, s.Result.Failure
	if len(s.Result.Points) == 0 {
		return append(table, run)
	}
	chosen := experiment.Chosen(s.Result.Points)
	for i, p := range s.Result.Points {
		cells := maps.Clone(run)
		cells["head"], cells["step"], cells["failure"] = p.Head, p.Step, p.Failure
		if t := p.Test; t != nil {
			cells["test examples"], cells["degenerate"], cells["threshold"] = t.N(), t.Degenerate(), t.Threshold
			cells["accuracy"], cells["balanced accuracy"], cells["AUC"] = t.Accuracy(), t.Balanced(), t.AUC
			cells["true positive"], cells["false negative"] = t.TruePositive, t.FalseNegative
			cells["false positive"], cells["true negative"] = t.FalsePositive, t.TrueNegative
		}
		if m := p.Many; m != nil {
			cells["test examples"], cells["degenerate"] = m.N, m.Degenerate()
			cells["accuracy"], cells["balanced accuracy"] = m.Accuracy, m.Balanced
		}
		if u := p.PU; u != nil {
			cells["held-out labeled"], cells["held-out unlabeled"] = u.Labeled, u.Unlabeled
			cells["told prior"] = u.Prior
			cells["recall"], cells["predicted positive"], cells["proxy AUC"] = u.Recall, u.Predicted, u.ProxyAUC
			cells["proxy accuracy"], cells["PU risk"], cells["Lee–Liu"] = u.ProxyAccuracy(), u.Risk(), u.LeeLiu()
		}
		for _, rule := range experiment.Rules() {
			cells[chosenColumn+string(rule)] = slices.Contains(chosen[i], rule)
		}
		for name, value := range p.Values {
			cells[valueColumn+name] = value
		}
		table = append(table, cells)
	}
	return table
}

// cellText returns a cell: numbers in full, 1 and 0 for true and false.
func cellText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return ""
	case bool:
		return map[bool]string{true: "1", false: "0"}[cell]
	case float64:
		return strconv.FormatFloat(cell, 'g', -1, 64)
	}
	return fmt.Sprint(cell)
}
