package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// facts lists what is known of the machine, as names and values.
func (m Machine) facts() [][2]string {
	var plugin []string
	if m.PJRT != "" {
		plugin = append(plugin, "PJRT "+m.PJRT)
	}
	if m.Wheel != "" {
		plugin = append(plugin, "wheel "+m.Wheel)
	}
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
		// A long account goes on below, under its own beginning.
		account := wrap(fmt.Sprintf("%s (%.0f s)", row.measured(), row.Seconds), 76)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", row.Result, row.Kind, row.What, strings.Join(account, "\n\t\t\t"))
	}
	fmt.Fprintf(table, "\n%s\n", r.summary())
	return table.Flush()
}

// wrap breaks text at spaces into lines of at most n characters, where it can.
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
