package claims

import (
	"fmt"
	"slices"
	"strings"
)

// Report returns what checking the claim found, in Markdown for a notebook: verdict and sentence, then the table of [Claim.Numbers].
// It says so where the claim has not been checked.
func (c Claim) Report(words ...string) string {
	if c.Sentence == "" {
		return fmt.Sprintf("**%s** has not been checked.\n", c.ID)
	}
	return fmt.Sprintf("**%s: %s.** %s\n\n%s", c.ID, c.Verdict, escapeMarkdown.Replace(c.Sentence), c.Numbers(words...))
}

// Explain returns what checking the claim found, in Markdown for a notebook: verdict and sentence, then, where there are such,
// the counterexample and the corrected statement, and why. It says so where the claim has not been checked.
func (c Claim) Explain() string {
	if c.Sentence == "" {
		return fmt.Sprintf("**%s** has not been checked.\n", c.ID)
	}
	text := fmt.Sprintf("**%s: %s.** %s", c.ID, c.Verdict, escapeMarkdown.Replace(c.Sentence))
	for _, part := range [][2]string{{"A case against it", c.Counterexample}, {"What holds", c.Corrected}, {"Why", c.Why}} {
		if part[1] != "" {
			text += fmt.Sprintf("\n\n**%s.** %s", part[0], escapeMarkdown.Replace(part[1]))
		}
	}
	return text
}

// Numbers returns a table of the measured numbers in Markdown. With words given, only those appear whose name holds one of them, since a
// claim can have dozens. It says so where there is none.
func (c Claim) Numbers(words ...string) string {
	table := ""
	for _, m := range c.Measured {
		if len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return strings.Contains(m.Name, word) }) {
			table += fmt.Sprintf("| %s | %s |\n", escapeMarkdown.Replace(m.Name), m.Value)
		}
	}
	switch {
	case table != "":
		return "| measured | |\n| :--- | ---: |\n" + table
	case len(words) == 0:
		return "Nothing has been measured.\n"
	}
	return fmt.Sprintf("No measured number has one of %q in its name.\n", words)
}

// escapeMarkdown keeps the signs of formulas, as in |B|², L* and n_P, from being read as markup.
var escapeMarkdown = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`)
