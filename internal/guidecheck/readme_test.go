package main

import (
	"os"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The README has at most 150 lines. Its Go program and the output are those of the test ExampleObjective.
func TestReadme(t *testing.T) {
	readme := string(expect.Must(os.ReadFile("../../README.md"))(t))
	lines := strings.Count(readme, "\n")
	expect.That(t, lines <= 150, "README.md has %d lines", lines)
	_, example, found := strings.Cut(string(expect.Must(os.ReadFile("../../pucl/losses_example_test.go"))(t)), "func ExampleObjective() {\n")
	expect.Require(t, found, "there is no ExampleObjective")
	example, _, _ = strings.Cut(example, "\n}\n")
	list := expect.Must(blocks(readme))(t)
	for i, b := range list {
		if b.language != "go" {
			continue
		}
		for line := range strings.Lines(b.text) {
			expect.That(t, strings.Contains(example, "\t"+line), "ExampleObjective lacks the README's line\n%s", line)
		}
		expect.Require(t, i+1 < len(list) && list[i+1].language == "text", "no output follows the README's Go program")
		want := "// Output: " + strings.TrimSpace(list[i+1].text)
		expect.That(t, strings.HasSuffix(strings.TrimSpace(example), want), "ExampleObjective does not end in\n%s", want)
		return
	}
	t.Error("README.md has no Go program")
}
