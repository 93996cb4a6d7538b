package claims

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/theory/internal/lists"
)

// Report returns the finding of the claim, in Markdown for a notebook: verdict and sentence, then the table of
// [Claim.Numbers]. For an unchecked claim it states that.
func (c Claim) Report(words ...string) string {
	if c.Sentence == "" {
		return fmt.Sprintf("**%s** has not been checked.\n", c.ID)
	}
	return fmt.Sprintf("**%s: %s.** %s\n\n%s", c.ID, c.Verdict, escapeMarkdown.Replace(c.Sentence), c.Numbers(words...))
}

// Explain returns the finding of the claim, in Markdown for a notebook: verdict and sentence, then, if present, the
// counterexample, the corrected statement, the reason, and the lines of the proof. For an unchecked claim it states
// that.
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
	if len(c.Proof) > 0 {
		text += "\n\n**Proof.**\n"
	}
	for i, line := range c.Proof {
		text += fmt.Sprintf("\n%d. %s", i+1, escapeMarkdown.Replace(line))
	}
	return text
}

// Numbers returns a table of the measured numbers in Markdown. With words given, it includes only names that contain
// one of them, since a claim can have dozens. For an empty table it states that.
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

// escapeMarkdown escapes the signs of formulas, as in |B|², L* and n_P.
var escapeMarkdown = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`)

// Find returns the claims with the given IDs, in that order, and all claims if none is given. An unknown ID is an error
// that lists the known ones.
func Find(ids ...string) ([]Claim, error) {
	all := All()
	if len(ids) == 0 {
		return all, nil
	}
	found := make([]Claim, len(ids))
	for i, id := range ids {
		at := slices.IndexFunc(all, func(c Claim) bool { return c.ID == id })
		if at < 0 {
			known := lists.Map(all, func(c Claim) string { return c.ID })
			return nil, fmt.Errorf("claims: there is no claim %q%s; there are %s", id, naming.DidYouMean(id, known), strings.Join(known, ", "))
		}
		found[i] = all[at]
	}
	return found, nil
}

// Row returns the claim as one line of a table: ID, verdict, number and sentence, separated by tabs. The number has six
// digits, without its interval.
func (c Claim) Row() string {
	return fmt.Sprintf("%s\t%s\t%.6g\t%s", c.ID, c.Verdict, c.Number.Value, c.Sentence)
}

// WriteMarkdown writes checked claims as a Markdown table.
func WriteMarkdown(w io.Writer, checked []Claim) error {
	lines := []string{"| claim | verdict | number | |", "| --- | --- | ---: | --- |"}
	for _, c := range checked {
		lines = append(lines, fmt.Sprintf("| %s | %s | %.4g | %s |", c.ID, c.Verdict, c.Number.Value, strings.ReplaceAll(c.Sentence, "|", `\|`)))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
