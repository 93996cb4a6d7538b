package papers

import "fmt"

// experimentTables names the claims about rows of tables.
const experimentTables = "six tables"

// OnTables is [BaselinesOnTables] as a table: every baseline, and heads on encoders by the losses of Table 1, where
// examples are rows. There are no published numbers for these draws.
func OnTables() Table {
	t := Table{Name: onTables, Title: "Rows of tables", Claims: claimsOnTables()}
	for _, c := range competitors() {
		t.Rows = append(t.Rows, Row{c.name, ""})
	}
	for _, head := range []string{PUPL, PUPLOnZ, Mixture, NNPU, Ceiling} {
		for _, o := range objectives() {
			t.Rows = append(t.Rows, Row{o.Name, head})
		}
	}
	return t
}

// TableSettings returns the settings of [BaselinesOnTables]: the tables.
func TableSettings() (names []string) {
	for _, set := range uciSets() {
		names = append(names, set.setting())
	}
	return names
}

// claimsOnTables returns the paper's claims about images, applied to rows, and comparisons of methods without and with
// a given prior.
func claimsOnTables() (list []Claim) {
	const source = "Contrastive Positive Unlabeled Learning, Tables 1 and 2, of images"
	for _, set := range uciSets() {
		add := func(source, statement string, above, below Row) {
			list = append(list, Claim{Experiment: experimentTables, Statement: statement, Source: source, Setting: set.setting(), Above: above, Below: below})
		}
		add(source, "PUCL is above ssCL, both with PUPL", Row{"PUCL", PUPL}, Row{"ssCL", PUPL})
		add(source, "PUCL is above SCL-PU, both with PUPL", Row{"PUCL", PUPL}, Row{"SCL-PU", PUPL})
		for _, head := range []string{PUPL, Mixture} {
			by := source
			if head == Mixture {
				by = "this library"
			}
			add(by, fmt.Sprintf("PUCL with %s, told no class prior, is above nnPU, which is", head), Row{"PUCL", head}, Row{"nnPU", ""})
		}
	}
	return list
}
