package pu

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/puclab/puclab/pucl/evaluate"
)

// cells returns the header and the rows of the table: mean and half-width of the 95% interval over seeds, in percent.
// The first method has no difference and no p-value. The p-values are MethodResult.Holm.
func (c *Comparison) cells(plusMinus string) (header []string, rows [][]string) {
	header = []string{
		fmt.Sprintf("method (%d seeds)", len(c.Seeds)), "accuracy", "AUC", "accuracy minus that of " + c.Methods[0].Method,
		"p, Holm",
	}
	percent := func(s evaluate.Summary) string {
		if s.Seeds == 1 {
			return fmt.Sprintf("%.2f", 100*s.Mean)
		}
		return fmt.Sprintf("%.2f%s%.2f", 100*s.Mean, plusMinus, 100*s.HalfWidth)
	}
	for i, m := range c.Methods {
		beyond, p := "–", "–"
		if i > 0 {
			beyond = percent(m.AccuracyBeyond)
		}
		if !math.IsNaN(m.Holm) {
			p = fmt.Sprintf("%.4f", m.Holm)
		}
		rows = append(rows, []string{m.Method, percent(m.Accuracy), percent(m.AUC), beyond, p})
	}
	return header, rows
}

// Markdown returns the comparison as a Markdown table: mean ± half-width of the 95% interval over seeds, in percent.
func (c *Comparison) Markdown() string {
	header, rows := c.cells(" ± ")
	lines := []string{"| " + strings.Join(header, " | ") + " |", "| --- | ---: | ---: | ---: | ---: |"}
	for _, row := range rows {
		lines = append(lines, "| "+strings.Join(row, " | ")+" |")
	}
	return strings.Join(lines, "\n")
}

// String returns the table of Markdown.
func (c *Comparison) String() string { return c.Markdown() }

// latexSigns escapes the signs in method names that are special in LaTeX.
var latexSigns = strings.NewReplacer("\\", `\textbackslash{}`, "%", `\%`, "_", `\_`, "&", `\&`, "#", `\#`, "$", `\$`,
	"{", `\{`, "}", `\}`, "–", "--", "τ", `$\tau$`, "π", `$\pi$`, "×", `$\times$`, "−", "$-$", "^", `\^{}`, "~", `\~{}`)

// LaTeX returns the comparison as a tabular environment with the rules of the package booktabs.
func (c *Comparison) LaTeX() string {
	header, rows := c.cells("±")
	line := func(cells []string) string {
		out := make([]string, len(cells))
		for i, cell := range cells {
			out[i] = strings.ReplaceAll(latexSigns.Replace(cell), "±", ` $\pm$ `)
		}
		return "\t" + strings.Join(out, " & ") + ` \\`
	}
	lines := []string{`\begin{tabular}{lrrrr}`, `\toprule`, line(header), `\midrule`}
	for _, row := range rows {
		lines = append(lines, line(row))
	}
	return strings.Join(append(lines, `\bottomrule`, `\end{tabular}`), "\n")
}

// CSV returns the single results, one line for each method and seed: method, seed, accuracy, AUC, as shares in full
// precision.
func (c *Comparison) CSV() (string, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	records := [][]string{{"method", "seed", "accuracy", "auc"}}
	for _, m := range c.Methods {
		for i, s := range m.Scores {
			records = append(records, []string{
				m.Method, strconv.FormatUint(c.Seeds[i], 10), number(s.Accuracy()), number(s.AUC),
			})
		}
	}
	err := w.WriteAll(records)
	return text.String(), err
}
