package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Result is the result of a check.
type Result string

// The results of a check.
const (
	Pass   Result = "PASS"
	Fail   Result = "FAIL"
	NotRun Result = "not run" // the row has the reason
)

// Row is a line of the table: one check and its result.
type Row struct {
	Kind     string             `json:"kind"` // "start", "numbers", "step", "training" or "tests"
	What     string             `json:"what"`
	Result   Result             `json:"result"`
	Detail   string             `json:"told"`               // measurements, or why it failed or was not run
	Values   map[string]float64 `json:"values,omitempty"`   // the numbers in Detail, with their unit in the name
	Failures []string           `json:"failures,omitempty"` // the names of the tests that failed
	Seconds  float64            `json:"seconds"`            // the whole check, including the start of its process
}

// Machine describes the machine of the checks; "" means unknown.
type Machine struct {
	Engine   string `json:"engine"` // and why it was selected
	Kind     string `json:"kind"`   // as in engine.Engine
	Backend  string `json:"backend"`
	Devices  int    `json:"devices"`
	Device   string `json:"device"`   // the plugin's name of the first one
	PJRT     string `json:"pjrt"`     // version of the plugin's interface
	Wheel    string `json:"wheel"`    // the Python package of the plugin
	Cards    string `json:"cards"`    // names in nvidia-smi
	Driver   string `json:"driver"`   // from nvidia-smi or the kernel
	Hardware string `json:"hardware"` // processor and cores
	Versions string `json:"versions"` // of Go and the computing modules
}

// onGPU reports whether the checks run on a GPU.
func (m Machine) onGPU() bool { return m.Kind == "xla-cuda" }

// Report has all findings.
type Report struct {
	Machine Machine `json:"machine"`
	Rows    []Row   `json:"rows"`
	Left    int     `json:"left"` // checks not done because of an interrupt
}

// count returns the number of rows with that result.
func (r Report) count(result Result) (n int) {
	for _, row := range r.Rows {
		if row.Result == result {
			n++
		}
	}
	return n
}

// status returns the exit status of the checks.
func (r Report) status() int {
	switch {
	case r.Left > 0:
		return exitInterrupted
	case r.count(Fail) > 0:
		return exitFailed
	}
	return exitOK
}

// write writes the report in the requested form.
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

// facts lists the known facts about the machine, as names and values.
func (m Machine) facts() [][2]string {
	plugin := slices.DeleteFunc([]string{"PJRT " + m.PJRT, "wheel " + m.Wheel}, func(s string) bool { return strings.HasSuffix(s, " ") })
	device := m.Device
	if m.Devices > 1 {
		device = fmt.Sprintf("%s, the first of %d", device, m.Devices)
	}
	facts := [][2]string{{"engine", m.Engine}, {"device", device}, {"card", m.Cards}, {"driver", m.Driver},
		{"plugin", strings.Join(plugin, ", ")}, {"hardware", m.Hardware}, {"versions", m.Versions}}
	return slices.DeleteFunc(facts, func(fact [2]string) bool {
		return fact[1] == "" && !m.onGPU() && (fact[0] == "card" || fact[0] == "driver")
	})
}

// summary returns the last line.
func (r Report) summary() string {
	text := fmt.Sprintf("%d passed, %d failed, %d not run.", r.count(Pass), r.count(Fail), r.count(NotRun))
	if r.Left > 0 {
		text += fmt.Sprintf(" Interrupted: %d more were left undone.", r.Left)
	}
	return text
}

// measured returns the row's detail, with the tests that failed.
func (r Row) measured() string {
	if len(r.Failures) == 0 {
		return r.Detail
	}
	return r.Detail + ": " + strings.Join(r.Failures, ", ")
}

// writeText writes the report for a terminal.
func (r Report) writeText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, fact := range r.Machine.facts() {
		fmt.Fprintf(table, "%-9s %s\n", fact[0], cmp.Or(fact[1], "not told"))
	}
	fmt.Fprint(table, "\nresult\tcheck\tof\tmeasured (time)\n")
	for _, row := range r.Rows {
		// A long text continues below, aligned with its first line.
		account := wrap(fmt.Sprintf("%s (%.0f s)", row.measured(), row.Seconds), 76)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", row.Result, row.Kind, row.What, strings.Join(account, "\n\t\t\t"))
	}
	fmt.Fprintf(table, "\n%s\n", r.summary())
	return table.Flush()
}

// wrap breaks text at spaces into lines of at most n characters, if possible.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > n {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// writeMarkdown writes the report as a list of facts and a table.
func (r Report) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	for _, fact := range r.Machine.facts() {
		fmt.Fprintf(&b, "- %s: %s\n", fact[0], cmp.Or(fact[1], "not told"))
	}
	b.WriteString("\n| result | check | of | measured | seconds |\n| --- | --- | --- | --- | ---: |\n")
	cell := strings.NewReplacer("|", "\\|", "\n", " ").Replace
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.0f |\n", row.Result, row.Kind, cell(row.What), cell(row.measured()), row.Seconds)
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", b.String(), r.summary())
	return err
}
