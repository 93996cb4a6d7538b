package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The README has at most 150 lines. Its Go program and the output equal those in the test ExampleObjective.
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

// decimal matches a number with decimals.
var decimal = regexp.MustCompile(`\d+\.\d+`)

// Each decimal number in the README's sections on theorems and disagreements is in a page or notebook whose numbers are tested.
func TestReadmeNumbersHaveASource(t *testing.T) {
	var sources string
	for _, name := range []string{"docs/claims.md", "docs/choose-a-loss.md", "notebooks/table-1.ipynb"} {
		sources += string(expect.Must(os.ReadFile("../../" + name))(t))
	}
	text := section(t, "## Theorems 1 to 4\n") + section(t, "## Disagreements with the papers\n")
	numbers := decimal.FindAllString(text, -1)
	expect.That(t, len(numbers) >= 10, "only the numbers %v were found", numbers)
	for _, number := range numbers {
		expect.That(t, regexp.MustCompile(`\b`+regexp.QuoteMeta(number)+`\b`).MatchString(sources), "%s has no source", number)
	}
}

// The counts of verdicts in the README equal the counts in docs/verdicts.md.
func TestReadmeCountsVerdicts(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (table 1|table 2|figure 3) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`)
	count := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(expect.Must(os.ReadFile("../../docs/verdicts.md"))(t)), -1) {
		count[m[1]] = m[2:]
	}
	expect.Require(t, len(count) == 3, "the rows found are %v", count)
	text := section(t, "## Disagreements with the papers\n")
	one, two, three := count["table 1"], count["table 2"], count["figure 3"]
	for _, want := range []string{
		"of Table 1, " + one[0] + " agree, " + one[1] + " disagree, " + one[2] + " are inconclusive and " + one[3] + " are not run",
		"of Table 2, " + two[0] + " agree and " + two[1] + " disagree",
		three[0] + " agree and " + three[1] + " disagree; ",
	} {
		expect.Contains(t, text, want)
	}
}

// section returns the words of the README after a heading, up to the next one, with a space between words.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(string(expect.Must(os.ReadFile("../../README.md"))(t)), heading)
	expect.Require(t, found, "README.md has no %q", heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.Join(strings.Fields(text), " ")
}
