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

// Explanation returns all that checking the claim found but the numbers, in Markdown for a notebook: verdict and sentence, the
// case against it, what holds and why. It says so where the claim has not been checked.
func (c Claim) Explanation() string {
	if c.Sentence == "" {
		return c.Report()
	}
	plain := strings.NewReplacer("*", `\*`, "_", `\_`, "|", `\|`).Replace
	text := fmt.Sprintf("**%s: %s.** %s", c.ID, c.Verdict, plain(c.Sentence))
	for _, part := range []struct{ title, text string }{
		{"A case against it", c.Counterexample}, {"What holds", c.Corrected}, {"Why", c.Why},
	} {
		if part.text != "" {
			text += fmt.Sprintf("\n\n**%s.** %s", part.title, plain(part.text))
		}
	}
	return text + "\n"
}

// escapeMarkdown keeps the signs of formulas, as in |B|² and L*, from being read as markup.
var escapeMarkdown = strings.NewReplacer("|", `\|`, "*", `\*`)
