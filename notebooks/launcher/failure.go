package launcher

import (
	"fmt"
	"regexp"
	"strings"
)

// maxFailure is the number of displayed lines of a failed cell's message; the executed notebook has all.
const maxFailure = 40

// cellFailure returns the error of a failed cell, with its message and a remedy if one is known.
func cellFailure(p place, nb *notebook, c cell, text, logPath string) error {
	lines := strings.Split(strings.TrimSpace(inCells(text)), "\n")
	if cut := len(lines) - maxFailure; cut > 0 {
		lines = append([]string{fmt.Sprintf("… %d lines more in the executed notebook …", cut)}, lines[cut:]...)
	}
	pr := &problem{What: fmt.Sprintf("Cell %d of %s (%s) failed:\n\n%s\n", c.number, nb.name, c.title,
		indent(strings.Join(lines, "\n"), "    "))}
	switch {
	case strings.Contains(text, "signal: killed"):
		pr.Mend = "The system ended the program, most likely because memory ran out; a smaller batch or fewer steps (-steps) help."
	case strings.Contains(text, "the Go kernel died"):
		pr.Mend = "The kernel's log is " + p.relative(logPath) + "."
	case strings.Contains(text, "no required module provides package"), strings.Contains(text, "cannot find module providing package"):
		pr.Mend = "Only packages of this module and of its dependencies in go.mod can be imported in a cell."
	case strings.Contains(text, "no space left on device"):
		pr.Mend = "The disk is full: make room and start again."
	}
	return pr
}

var (
	// cellPlace matches gonb's mark of a cell line in the program that it makes of the cells.
	cellPlace = regexp.MustCompile(`\s*\[\[ Cell \[(\d+)\] Line (\d+) \]\] [^\s:]+\.go:\d+(?: \+0x[0-9a-f]+)?`)
	// goroutine matches the first line of a goroutine's stack.
	goroutine = regexp.MustCompile(`^goroutine \d+ .*\[.*\]:$`)
	// ended matches gonb's output after the program's own.
	ended = regexp.MustCompile(`^(exit status \d+|signal: .+)$`)
)

// inCells returns the message of a failed cell with positions as cell and line; of stacks it keeps only the positions
// in cells.
func inCells(text string) string {
	var lines []string
	inStack := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		at := cellPlace.FindStringSubmatch(line)
		switch {
		case goroutine.MatchString(line):
			inStack = true
		case inStack && ended.MatchString(line):
			inStack = false
			lines = append(lines, line)
		case !inStack:
			lines = append(lines, cellPlace.ReplaceAllString(line, " cell $1, line $2"))
		case at != nil:
			lines = append(lines, fmt.Sprintf("    at cell %s, line %s", at[1], at[2]))
		}
	}
	return strings.Join(lines, "\n")
}
