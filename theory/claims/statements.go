package claims

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Statement is a mathematical sentence, formula, caption or footnote of a document, in our words. It lists the claims
// that check it, or gives the reason why none does.
type Statement struct {
	Document string   `json:"document"`
	Place    string   `json:"place"` // section, or number of equation, theorem, figure, table or footnote
	Says     string   `json:"says"`
	Claims   []string `json:"claims,omitempty"` // IDs
	Reason   string   `json:"reason,omitempty"` // why there is no claim; "" if there is one
}

// The documents, in the order of [Statements].
const (
	DebiasedDocument = "Debiased contrastive learning (Chuang et al., 2020), a section on it"
	PUCLDocument     = "Contrastive Positive Unlabeled Learning (anonymous authors)"
	IntroDocument    = "Introduction to contrastive learning (in Chinese)"
	MAKDocument      = "Improving Contrastive Learning on Imbalanced Seed Data via Open-World Sampling (slides)"
	SlidesDocument   = "M. A. Nikitina, slides on distribution bias in contrastive learning (in Russian)"
)

// Documents lists the documents whose statements [Statements] covers.
func Documents() []string {
	return []string{DebiasedDocument, PUCLDocument, IntroDocument, MAKDocument, SlidesDocument}
}

// Reasons for statements without a claim.
const (
	definition = "a definition"
	notation   = "notation"
	setting    = "how an experiment was set up"
	citation   = "a citation, whose claim is the cited work's"
	empirical  = "empirical: about trained models"
	table1     = "empirical: the runs of notebook table-1"
	table2     = "empirical: the runs of notebook table-2"
	gaussians  = "empirical: the runs of notebook gaussians"
)

// Statements lists the statements of the documents, in their order.
func Statements() []Statement {
	return slices.Concat(debiasedStatements(), puclStatements(), puclAppendixStatements(), puclProofStatements(),
		introStatements(),
		makStatements(), slidesStatements())
}

// statementsOf returns the statements of a document. Each row holds the place, the statement, and either the IDs of
// claims, separated by spaces, or after a dash the reason why there is none.
func statementsOf(document string, rows [][3]string) []Statement {
	return lists.Map(rows, func(row [3]string) Statement {
		s := Statement{Document: document, Place: row[0], Says: row[1]}
		if reason, none := strings.CutPrefix(row[2], "– "); none {
			s.Reason = reason
		} else {
			s.Claims = strings.Fields(row[2])
		}
		return s
	})
}

// WriteStatements writes statements as Markdown: a heading and a table for each document. The verdicts of checked
// claims stand beside the IDs; without checked claims, the IDs stand alone.
func WriteStatements(w io.Writer, statements []Statement, checked ...Claim) error {
	var text strings.Builder
	document := ""
	for _, s := range statements {
		if s.Document != document {
			document = s.Document
			fmt.Fprintf(&text, "\n#### %s\n\n| place | says | checked by, or why not |\n| --- | --- | --- |\n", document)
		}
		by := lists.Map(s.Claims, func(id string) string {
			for _, c := range checked {
				if c.ID == id {
					return fmt.Sprintf("%s: **%s**", id, c.Verdict)
				}
			}
			return id
		})
		if s.Reason != "" {
			by = append(by, "– "+escapeMarkdown.Replace(s.Reason))
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", s.Place, escapeMarkdown.Replace(s.Says), strings.Join(by, "<br>"))
	}
	_, err := io.WriteString(w, strings.TrimPrefix(text.String(), "\n"))
	return err
}
