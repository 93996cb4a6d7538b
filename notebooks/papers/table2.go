package papers

import (
	"github.com/puclab/puclab/notebooks/experiment"
)

// Table2 is Table 2 of "Contrastive Positive Unlabeled Learning" with later baselines: PUCL with PUPL against them.
func Table2() Table {
	t := Table{
		Name: "table-2", Title: "Table 2: PUCL and its baselines", Published: published2(), Claims: claims2(),
		runs: func(s setting) (runs []experiment.Run) {
			pucl := objectives()[2]
			for seed := range uint64(s.Seeds) {
				runs = append(runs, s.contrastive(pucl, seed+1))
			}
			for _, c := range competitors() {
				seeds := s.Seeds
				if c.slow {
					seeds = s.SlowSeeds
				}
				for seed := range uint64(seeds) {
					if s.has(c.name) {
						runs = append(runs, s.baseline(c, seed+1))
					}
				}
			}
			// The classes of most images of STL-10 are unknown.
			if s.benchmark.Set != "STL-10" && s.has(TrueLabels) {
				for seed := range uint64(s.SlowSeeds) {
					runs = append(runs, s.trueLabels(seed+1))
				}
			}
			return runs
		},
	}
	for _, c := range competitors() {
		t.Rows = append(t.Rows, Row{c.name, ""})
	}
	t.Rows = append(t.Rows, Row{"PUCL", PUPL}, Row{"PUCL", PUPLOnZ}, Row{"PUCL", Mixture}, Row{TrueLabels, ""})
	return t
}

// The sources of the numbers of Table 2, with protocol and choice of epoch.
const (
	protocolDCPU = "accuracy as micro-F1; a CNN of 12 layers, on Fashion-MNIST an MLP of 5; n_P is not told: set beside 1,000, where it " +
		"agrees with other tables"
	sourceDCPU     = "DC-PU, NeurIPS 2025, Table 5 (" + protocolDCPU + "; which epoch counts is not told)"
	sourceDCPUPlus = "DC-PU, NeurIPS 2025, Table 5, as nnPU+, which has an entropy term too (n_P and which epoch counts are not told)"
	sourceDCPUBest = "DC-PU, NeurIPS 2025, Table 2 (" + protocolDCPU + "; the best epoch)"
	sourceDCPULast = "DC-PU, NeurIPS 2025, Table 2 (" + protocolDCPU + "; the mean of the last five epochs)"
	sourceVPU      = "the README of vPU's program (case-control, n_P 3,000, and 2,250 of STL-10; the epoch of the lowest variational loss on " +
		"held-out positives and unlabeled images)"
	sourceVPUOfNNPU = "the README of vPU's program (case-control, n_P 3,000, and 2,250 of STL-10; which epoch counts is not told)"
	sourceNcPU      = "NcPU, ICLR 2026, as reported by others (ResNet-18, n_P 1,000, on CIFAR-10 1,300 epochs; the best epoch on test images)"
	sourceSelfPU    = "the README of Self-PU's program (case-control, n_P 1,000; the best epoch on test images)"
	sourceLaGAM     = "LaGAM, CVPR 2024, as reported by others (ResNet-18, n_P 1,000 and 500 clean images of both classes to learn labels by; " +
		"which epoch counts is not told)"
	sourceDistPU = "Dist-PU, CVPR 2022, as reported by others (n_P 1,000; which epoch counts is not told)"
)

// published2 returns the published numbers of the baselines; of several numbers in a cell the first has the same source
// as other rows. The numbers of Table 2 itself are not available, nor any for PAN, for most baselines with 3,000
// labels, and for most on STL-10: their cells stay blank. Numbers of other tasks, such as another split of
// Fashion-MNIST, are not included.
func published2() (list []Published) {
	add := func(benchmark string, labeled int, method string, n number, rule experiment.Rule, source string) {
		list = append(list, Published{settingOf(benchmark, labeled), Row{method, ""}, n.mean, n.spread, rule, source})
	}
	for _, row := range []struct {
		method  string
		rule    experiment.Rule
		source  string
		numbers [4]number // in the order of benchmarks1
	}{
		{"MixPUL", "", sourceDCPU, [4]number{{87.5, 1.5}, {89.0, 0.5}, {87.0, 1.9}, {87.0, 1.1}}},
		{"PULNS", "", sourceDCPU, [4]number{{90.7, 0.5}, {87.9, 0.5}, {87.2, 0.6}, {83.7, 2.9}}},
		{"P3MIX-E", "", sourceDCPU, [4]number{{91.9, 0.3}, {89.5, 0.5}, {88.2, 0.4}, {84.7, 0.5}}},
		{"P3MIX-C", "", sourceDCPU, [4]number{{92.0, 0.4}, {89.4, 0.3}, {88.7, 0.4}, {87.9, 0.5}}},
		{"Dist-PU", "", sourceDCPU, [4]number{{91.70, 0}, {88.68, 0}, {89.16, 0}, {88.51, 0}}},
		{"nnPU with mixup", "", sourceDCPUPlus, [4]number{{91.66, 0}, {88.41, 0}, {89.46, 0}, {87.66, 0}}},
		{"LaGAM", "", sourceDCPU, [4]number{{90.15, 0}, {80.88, 0}, {89.91, 0}, {87.98, 0}}},
		{"uPU", experiment.Oracle, sourceDCPUBest, [4]number{{90.90, 0}, {85.57, 0}, {86.61, 0}, {87.53, 0}}},
		{"uPU", experiment.Last, sourceDCPULast, [4]number{{74.14, 0}, {49.49, 0}, {61.19, 0}, {41.62, 0}}},
		{"nnPU", experiment.Oracle, sourceDCPUBest, [4]number{{90.92, 0}, {88.53, 0}, {88.72, 0}, {88.10, 0}}},
		{"nnPU", experiment.Last, sourceDCPULast, [4]number{{88.06, 0}, {83.79, 0}, {86.29, 0}, {85.26, 0}}},
	} {
		for i, n := range row.numbers {
			add(benchmarks1[i], 1000, row.method, n, row.rule, row.source)
		}
	}
	add("FMNIST-I", 3000, "vPU", number{92.7, 0}, "", sourceVPU)
	add("CIFAR-I", 3000, "vPU", number{89.5, 0}, "", sourceVPU)
	add("STL-I", 2250, "vPU", number{79.7, 0}, "", sourceVPU)
	add("FMNIST-I", 3000, "nnPU", number{90.8, 0}, "", sourceVPUOfNNPU)
	add("CIFAR-I", 3000, "nnPU", number{85.6, 0}, "", sourceVPUOfNNPU)
	add("STL-I", 2250, "nnPU", number{78.3, 0}, "", sourceVPUOfNNPU)
	add("CIFAR-I", 1000, "NcPU", number{97.36, 0}, experiment.Oracle, sourceNcPU)
	add("STL-I", 1000, "NcPU", number{91.40, 0}, experiment.Oracle, sourceNcPU)
	add("CIFAR-I", 1000, "Self-PU", number{90.05, 0}, experiment.Oracle, sourceSelfPU)
	add("CIFAR-I", 1000, "LaGAM", number{95.78, 0}, "", sourceLaGAM)
	add("STL-I", 1000, "LaGAM", number{88.64, 0}, "", sourceLaGAM)
	add("CIFAR-I", 1000, "Dist-PU", number{91.88, 0.52}, "", sourceDistPU)
	add("STL-I", 1000, "Dist-PU", number{85.62, 0}, "", sourceDistPU)
	for _, p := range published1() {
		if p.Row == (Row{"PUCL", PUPL}) {
			list = append(list, p)
		}
	}
	return list
}

// claims2 returns the paper's conclusion from Table 2: PUCL with PUPL is above every baseline in it.
func claims2() (list []Claim) {
	for _, labeled := range []int{1000, 3000} {
		for _, benchmark := range benchmarks1 {
			for _, c := range competitors() {
				if c.later {
					continue
				}
				list = append(list, Claim{
					Experiment: "table 2",
					Statement:  "PUCL with PUPL is above " + c.name, Source: "Contrastive Positive Unlabeled Learning, Table 2",
					Setting: settingOf(benchmark, labeled), Above: Row{"PUCL", PUPL}, Below: Row{c.name, ""},
				})
			}
		}
	}
	return list
}
