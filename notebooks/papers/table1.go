package papers

import "github.com/puclab/puclab/notebooks/experiment"

// Table1 is Table 1 of "Contrastive Positive Unlabeled Learning": three losses for pretraining an encoder, and on each
// encoder two heads, nnPU with the true class prior and PUPL with cross-entropy. Here it has four more heads, see
// [Heads].
func Table1() Table {
	t := Table{
		Name: "table-1", Title: "Table 1: what pseudo-labels are worth", Published: published1(), Claims: claims1(),
		runs: func(s setting) (runs []experiment.Run) {
			for _, o := range objectives() {
				for seed := range uint64(s.Seeds) {
					runs = append(runs, s.contrastive(o, seed+1))
				}
			}
			return runs
		},
	}
	for _, head := range Heads() {
		for _, o := range objectives() {
			t.Rows = append(t.Rows, Row{o.Name, head})
		}
	}
	return t
}

// The sources of Table 1, as named in claims and published numbers.
const (
	paper1  = "Contrastive Positive Unlabeled Learning, Table 1"
	source1 = paper1 + " (which epoch counts and what ± stands for is not told; its authors' public code reports the best epoch on test images)"
	beside1 = source1 + ", with 3,000 labels for 2,250"
)

// number is a mean and the number after ±.
type number struct{ mean, spread float64 }

// published1 returns all numbers of Table 1.
func published1() (list []Published) {
	for _, row := range []struct {
		labeled      int
		method, head string
		numbers      [6]number
	}{
		{1000, "ssCL", NNPU, [6]number{{89.5, 0.9}, {85.9, 0.5}, {91.7, 0.3}, {90.0, 0.4}, {81.1, 1.2}, {81.4, 0.8}}},
		{1000, "SCL-PU", NNPU, [6]number{{73.0, 4.9}, {81.8, 0.5}, {88.4, 2.1}, {63.7, 5.3}, {59.2, 8.1}, {68.8, 3.1}}},
		{1000, "PUCL", NNPU, [6]number{{90.0, 0.1}, {86.8, 0.4}, {91.8, 0.2}, {90.3, 0.5}, {81.5, 0.7}, {82.6, 0.4}}},
		{1000, "ssCL", PUPL, [6]number{{91.4, 1.2}, {86.2, 0.6}, {91.6, 0.9}, {90.7, 0.4}, {81.2, 1.6}, {81.3, 0.7}}},
		{1000, "SCL-PU", PUPL, [6]number{{77.8, 0.3}, {82.5, 4.1}, {90.1, 1.2}, {68.9, 7.5}, {58.5, 8.2}, {73.9, 1.2}}},
		{1000, "PUCL", PUPL, [6]number{{91.8, 0.8}, {89.2, 0.3}, {92.3, 1.9}, {91.2, 0.5}, {83.8, 1.4}, {84.5, 0.7}}},
		{3000, "ssCL", NNPU, [6]number{{89.6, 0.1}, {85.0, 0.4}, {92.3, 0.3}, {92.7, 0.3}, {81.6, 0.9}, {84.2, 1.0}}},
		{3000, "SCL-PU", NNPU, [6]number{{85.7, 0.3}, {82.1, 0.2}, {90.5, 3.1}, {88.6, 0.5}, {83.2, 0.8}, {84.8, 1.4}}},
		{3000, "PUCL", NNPU, [6]number{{90.3, 0.1}, {87.0, 0.7}, {93.2, 0.1}, {92.9, 0.1}, {84.9, 0.7}, {85.1, 0.7}}},
		{3000, "ssCL", PUPL, [6]number{{90.1, 0.2}, {88.8, 0.6}, {92.7, 1.3}, {92.9, 0.8}, {82.0, 1.6}, {84.3, 0.2}}},
		{3000, "SCL-PU", PUPL, [6]number{{85.9, 1.6}, {84.8, 2.4}, {92.4, 0.9}, {93.4, 1.2}, {83.1, 2.9}, {85.5, 0.6}}},
		{3000, "PUCL", PUPL, [6]number{{92.0, 0.7}, {89.6, 1.2}, {93.5, 0.8}, {93.8, 0.4}, {85.0, 0.9}, {85.2, 2.1}}},
	} {
		for i, benchmark := range benchmarks1 {
			p := Published{
				Setting: settingOf(benchmark, row.labeled), Row: Row{row.method, row.head},
				Mean: row.numbers[i].mean, Spread: row.numbers[i].spread, Source: source1,
			}
			if p.Setting != settingName(benchmark, row.labeled) {
				p.Source = beside1
			}
			list = append(list, p)
		}
	}
	return list
}

// benchmarks1 are the columns of Table 1.
var benchmarks1 = [6]string{"FMNIST-I", "FMNIST-II", "CIFAR-I", "CIFAR-II", "STL-I", "STL-II"}

// settingOf returns the setting of a column of a table. Columns with 3,000 labels on STL-10, which has 2,500 labeled
// positives, correspond to the 2,250 of VPU's code.
func settingOf(benchmark string, labeled int) string {
	if benchmark == "STL-I" || benchmark == "STL-II" {
		labeled = min(labeled, 2250)
	}
	return settingName(benchmark, labeled)
}

// claims1 returns the paper's conclusions from Table 1, by setting.
func claims1() (list []Claim) {
	for _, labeled := range []int{1000, 3000} {
		for _, benchmark := range benchmarks1 {
			for _, c := range []struct {
				statement    string
				above, below Row
			}{
				{"labels in the contrast help: PUCL is above ssCL, both with PUPL", Row{"PUCL", PUPL}, Row{"ssCL", PUPL}},
				{"unlabeled images are no class: PUCL is above SCL-PU, both with PUPL", Row{"PUCL", PUPL}, Row{"SCL-PU", PUPL}},
				{"on PUCL's encoder: PUPL, told no class prior, is above nnPU, which is told it", Row{"PUCL", PUPL}, Row{"PUCL", NNPU}},
			} {
				list = append(list, Claim{
					Experiment: "table 1", Statement: c.statement, Source: paper1, Setting: settingOf(benchmark, labeled), Above: c.above, Below: c.below,
				})
			}
		}
	}
	return list
}
