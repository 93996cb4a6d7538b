package claims

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Find returns the claims with the given IDs, in that order, and all claims where none is given. An unknown ID is an error
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
			return nil, fmt.Errorf("claims: there is no claim %q; there are %s", id, strings.Join(known, ", "))
		}
		found[i] = all[at]
	}
	return found, nil
}

// Row returns the claim as one line of a table: ID, verdict, number and sentence with tabs between them. The number has six
// digits and stands without its interval.
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
