package main

import (
	"bytes"
	"strings"
)

// tally counts the outcomes of a test program from what it prints with -test.v=test2json, where a control character marks
// the lines that are the testing package's own. It is a writer that keeps the last lines too.
type tally struct {
	passed, failed, skipped int      // tests and examples; a subtest counts with its test, but one that is skipped counts too
	failures                []string // names, of the innermost subtests
	open                    []string // begun and not ended: where a program crashed
	onTest                  func(name string)

	rest []byte
	tail []string
}

// mark begins the lines of the testing package.
const mark = "\x16"

// Write implements io.Writer.
func (t *tally) Write(p []byte) (int, error) {
	t.rest = append(t.rest, p...)
	for {
		i := bytes.IndexByte(t.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		t.line(string(t.rest[:i]))
		t.rest = t.rest[i+1:]
	}
}

// tailLines is how many lines are kept to show where a program crashed.
const tailLines = 40

// line takes a line of the output.
func (t *tally) line(text string) {
	if text = strings.TrimRight(text, "\r"); strings.TrimSpace(text) != "" {
		t.tail = append(t.tail, strings.ReplaceAll(text, mark, ""))
		t.tail = t.tail[max(0, len(t.tail)-tailLines):]
	}
	_, text, ok := strings.Cut(text, mark)
	if !ok {
		return
	}
	if name, ok := strings.CutPrefix(text, "=== RUN"); ok {
		name = strings.TrimSpace(name)
		t.open = append(t.open, name)
		if t.onTest != nil {
			t.onTest(name)
		}
		return
	}
	verb, rest, ok := strings.Cut(strings.TrimPrefix(text, "--- "), ": ")
	if !ok || !strings.HasPrefix(text, "--- ") {
		return
	}
	name, _, _ := strings.Cut(rest, " (")
	for i, other := range t.open {
		if other == name {
			t.open = append(t.open[:i:i], t.open[i+1:]...)
			break
		}
	}
	inner := strings.Contains(name, "/")
	switch {
	case verb == "PASS" && !inner:
		t.passed++
	case verb == "SKIP":
		t.skipped++
	case verb == "FAIL":
		if !inner {
			t.failed++
		}
		t.addFailure(name)
	}
}

// addFailure adds the name of what failed, in place of the test around it and not beside a subtest of it: the testing
// package tells of either first.
func (t *tally) addFailure(name string) {
	kept := t.failures[:0]
	for _, other := range t.failures {
		if strings.HasPrefix(other, name+"/") {
			return
		}
		if !strings.HasPrefix(name, other+"/") {
			kept = append(kept, other)
		}
	}
	t.failures = append(kept, name)
}
