package viz

import (
	"cmp"
	"fmt"
	"html"
	"strings"
)

// HTML returns the table as one HTML element with a caption, header cells marked as heads of columns or rows, and the
// note below. Text is escaped. Numbers line up at the decimal point through spaces as wide as a digit, which also work
// where a viewer drops styles. Colors are those of the page, dark or light. A folded table opens at a click on its
// title.
func (t Table) HTML() (string, error) { return t.render((*sheet).writeHTML) }

// render returns the output of write for the formatted table.
func (t Table) render(write func(s *sheet, b *strings.Builder)) (string, error) {
	s, err := t.sheet()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	write(s, &b)
	return b.String(), nil
}

func (s *sheet) writeHTML(b *strings.Builder) {
	const left, right = ` style="text-align:left"`, ` style="text-align:right"`
	open, end := "<div>", "</div>\n"
	if s.Folded {
		open, end = fmt.Sprintf("<details><summary>%s: %d rows</summary>", html.EscapeString(cmp.Or(s.Title, "Table")), len(s.Rows)), "</details>\n"
	}
	b.WriteString(open + "<table style=\"font-variant-numeric:tabular-nums\">\n")
	if s.Title != "" {
		fmt.Fprintf(b, "<caption>%s</caption>\n", html.EscapeString(s.Title))
	}
	fmt.Fprintf(b, "<thead><tr><th scope=\"col\"%s>%s</th>", left, html.EscapeString(s.RowsHeader))
	for _, name := range s.Columns {
		fmt.Fprintf(b, "<th scope=\"col\"%s>%s</th>", right, html.EscapeString(name))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for i, name := range s.Rows {
		fmt.Fprintf(b, "<tr><th scope=\"row\"%s>%s</th>", left, html.EscapeString(name))
		for j, w := range s.cells[i] {
			_, after := split(s, j, letters)
			text := html.EscapeString(w.text())
			if w.number {
				text = strings.ReplaceAll(text, " ", "\u00a0") // no line break before ±
			}
			switch {
			case w.missing:
				text = `<abbr title="not available">` + text + `</abbr>`
			case w.strong && s.Underline:
				text = "<u>" + text + "</u>"
			case w.strong:
				text = "<strong>" + text + "</strong>"
			}
			if w.number {
				text += strings.Repeat(figureSpace, after-letters(w.fraction+w.spread))
			}
			fmt.Fprintf(b, "<td%s>%s</td>", right, text)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	if s.note != "" {
		fmt.Fprintf(b, "\n<p>%s</p>", html.EscapeString(s.note))
	}
	b.WriteString(end)
}

// figureSpace is a space as wide as a digit.
const figureSpace = "\u2007"

// Markdown returns the table as a Markdown table, with its title and note as paragraphs and a final newline. Signs
// that Markdown would read as markup are escaped.
func (t Table) Markdown() (string, error) { return t.render((*sheet).writeMarkdown) }

func (s *sheet) writeMarkdown(b *strings.Builder) {
	if s.Title != "" {
		fmt.Fprintf(b, "**%s**\n\n", escapeMarkdown(s.Title))
	}
	row := func(name string, cells []string) {
		fmt.Fprintf(b, "| %s | %s |\n", escapeMarkdown(name), strings.Join(cells, " | "))
	}
	var names, rule []string
	for _, name := range s.Columns {
		names, rule = append(names, escapeMarkdown(name)), append(rule, "---:")
	}
	row(s.RowsHeader, names)
	row(":---", rule)
	for i, name := range s.Rows {
		var cells []string
		for _, w := range s.cells[i] {
			text := escapeMarkdown(w.text())
			switch {
			case w.strong && s.Underline:
				text = "<ins>" + text + "</ins>" // Markdown has no underline; code hosts keep this element
			case w.strong:
				text = "**" + text + "**"
			}
			cells = append(cells, text)
		}
		row(name, cells)
	}
	if s.note != "" {
		b.WriteString("\n" + escapeMarkdown(s.note) + "\n")
	}
}

var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`,
	"$", `\$`, "~", `\~`, "\n", " ",
)

// escapeMarkdown escapes Markdown markup and keeps a cell on its line.
func escapeMarkdown(s string) string { return markdownEscaper.Replace(s) }
