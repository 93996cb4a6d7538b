package theory

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/puclab/puclab/theory/internal/lists"
)

// String returns the examination as a page for a terminal: the setting, a table, and a summary in sentences.
func (e Examination) String() string {
	rows := e.table()
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	text := e.title() + "\n\n"
	for _, row := range rows {
		line := ""
		for k, cell := range row {
			pad := strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell))
			if k == 0 {
				line += cell + pad
			} else {
				line += "  " + pad + cell
			}
		}
		text += line + "\n"
	}
	return text + "\n" + strings.Join(e.words(), "\n") + "\n"
}

// Markdown returns the same page for a notebook.
func (e Examination) Markdown() string {
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`)
	line := func(cells []string) string {
		return "| " + strings.Join(lists.Map(cells, escape.Replace), " | ") + " |\n"
	}
	rows := e.table()
	text := "**" + escape.Replace(e.title()) + "**\n\n" + line(rows[0]) + "| :--- |" + strings.Repeat(" ---: |", len(rows[0])-1) + "\n"
	for _, row := range rows[1:] {
		text += line(row)
	}
	return text + "\n" + strings.Join(lists.Map(e.words(), escape.Replace), "\n\n") + "\n"
}

// title returns the name of the objective and the setting.
func (e Examination) title() string {
	return fmt.Sprintf("%s at τ = %g; %s", e.Objective.Result.Objective, e.Tau, situation(e.Population, e.Design))
}

// table returns the numbers, in nats, with a header row and a column of names.
func (e Examination) table() [][]string {
	rows := [][]string{append([]string{""}, e.names()...)}
	add := func(name string, of func(Examined) float64) {
		rows = append(rows, append([]string{name}, lists.Map(e.all(), func(x Examined) string { return significant(of(x)) })...))
	}
	add("mean loss", func(x Examined) float64 { return x.Result.Loss.Mean.Value })
	add("bias of the loss", func(x Examined) float64 { return x.Result.Bias.Value })
	add("bias of its attraction", func(x Examined) float64 { return x.Result.AttractionBias().Value })
	add("bias of its log partition", func(x Examined) float64 { return x.Result.PartitionBias().Value })
	add("variance of the loss", func(x Examined) float64 { return x.Result.Loss.Variance.Value })
	add("bias of the gradient, its length", func(x Examined) float64 { return x.GradientBias })
	add("variance of the gradient, in all", func(x Examined) float64 { return x.GradientVariance })
	add("worst bias of the loss found", func(x Examined) float64 { return x.Worst.Worst.Value.Value })
	return rows
}

// significant formats a number with five digits, and values within rounding error as 0.
func significant(x float64) string {
	if math.Abs(x) <= roundingOnly {
		x = 0
	}
	return fmt.Sprintf("%.5g", x)
}

// roundingOnly is the largest rounding error of a number that is 0.
const roundingOnly = 1e-9

// words summarizes the table in sentences.
func (e Examination) words() []string {
	x, name := e.Objective, e.Objective.Result.Objective
	biased := func(of Number, what string) string {
		if math.Abs(of.Value) <= roundingOnly {
			return what + " is unbiased"
		}
		return fmt.Sprintf("%s is %s off", what, significant(of.Value))
	}
	said := []string{fmt.Sprintf("%s here, and %s.", biased(x.Result.Bias, "The loss of "+name), biased(x.Result.AttractionBias(), "its attraction"))}
	// relations are the phrases for a smaller, an equal and a larger number of the objective; ending follows the names
	// of the references that it is compared with.
	compare := func(what string, relations [3]string, ending string, of func(Examined) float64) {
		var groups [3][]string
		for _, r := range e.References {
			difference, relation := of(x)-of(r), 2
			switch {
			case math.Abs(difference) <= roundingOnly:
				relation = 1
			case difference < 0:
				relation = 0
			}
			groups[relation] = append(groups[relation], r.Result.Objective+ending)
		}
		var parts []string
		for k, names := range groups {
			if len(names) > 0 {
				parts = append(parts, relations[k]+" "+strings.Join(names, " and "))
			}
		}
		if len(parts) > 0 {
			said = append(said, what+" "+strings.Join(parts, ", ")+".")
		}
	}
	much, far := [3]string{"less than", "as much as", "more than"}, [3]string{"less far off than", "as far off as", "farther off than"}
	compare("Over batches it varies", much, "", func(x Examined) float64 { return x.Result.Loss.Variance.Value })
	compare("Its mean gradient is", far, "'s", func(x Examined) float64 { return x.GradientBias })
	compare("Its gradient varies", much, "'s", func(x Examined) float64 { return x.GradientVariance })
	if w := x.Worst; w.Found {
		said = append(said, fmt.Sprintf("Of %d cases tried the worst is off by %s; a plain one near it: %s.", w.Cases,
			significant(w.Worst.Value.Value), w.Simple))
	} else {
		said = append(said, fmt.Sprintf("In none of %d cases tried is the loss biased, which proves nothing beyond them.", w.Cases))
	}
	return said
}
