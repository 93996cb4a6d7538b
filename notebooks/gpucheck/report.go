package main

import (
	"encoding/json"
	"io"
)

// Result is what came of a check.
type Result string

// The results of a check.
const (
	Pass   Result = "PASS"
	Fail   Result = "FAIL"
	NotRun Result = "not run" // for a reason that the row tells
)

// Row is a line of the table: one check and what came of it.
type Row struct {
	Kind     string             `json:"kind"` // "start", "numbers", "step", "training" or "tests"
	What     string             `json:"what"`
	Result   Result             `json:"result"`
	Detail   string             `json:"told"`               // what was measured, or why it failed or was not run
	Values   map[string]float64 `json:"values,omitempty"`   // the numbers in Detail, with their unit in the name
	Failures []string           `json:"failures,omitempty"` // the names of the tests that failed
	Seconds  float64            `json:"seconds"`            // the whole check, the start of its process included
}

// Machine is what the checks ran on; "" is what could not be found out.
type Machine struct {
	Engine   string `json:"engine"` // and why this one
	Kind     string `json:"kind"`   // as engine.Engine has it
	Backend  string `json:"backend"`
	Devices  int    `json:"devices"`
	Device   string `json:"device"`   // as the plugin names the first one
	PJRT     string `json:"pjrt"`     // version of the plugin's interface
	Wheel    string `json:"wheel"`    // the Python package that the plugin came in
	Cards    string `json:"cards"`    // as nvidia-smi names them
	Driver   string `json:"driver"`   // as nvidia-smi or the kernel tells
	Hardware string `json:"hardware"` // processor and cores
	Versions string `json:"versions"` // of Go and the modules that compute
}

// onGPU reports whether the checks run on a card.
func (m Machine) onGPU() bool { return m.Kind == "xla-cuda" }

// Report is everything that was found.
type Report struct {
	Machine Machine `json:"machine"`
	Rows    []Row   `json:"rows"`
	Left    int     `json:"left"` // checks that were left undone when it was interrupted
}

// count returns how many rows have that result.
func (r Report) count(result Result) (n int) {
	for _, row := range r.Rows {
		if row.Result == result {
			n++
		}
	}
	return n
}

// status returns the exit status that says how the checks went.
func (r Report) status() int {
	switch {
	case r.Left > 0:
		return exitInterrupted
	case r.count(Fail) > 0:
		return exitFailed
	}
	return exitOK
}

// write writes the report in the form that is asked for.
func (r Report) write(w io.Writer, o options) error {
	switch {
	case o.markdown:
		return r.writeMarkdown(w)
	case o.json:
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	return r.writeText(w)
}
