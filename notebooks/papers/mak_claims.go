package papers

import (
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/mak"
)

// PublishedWorld is a row of the published tables: percentages, mean and spread of each of [Measures], as printed.
type PublishedWorld struct {
	Pool     string // "ImageNet-900", or "ImageNet-Places-Mix"
	Budget   int    // 0 if nothing is added
	Method   string
	Protocol string // LinearSeparability or FewShots
	Mean     [5]float64
	Spread   [5]float64
}

// placesMix names the second published pool.
const placesMix = "ImageNet-Places-Mix"

// sourceMAK is the source of the published numbers.
const sourceMAK = "Improving Contrastive Learning on Imbalanced Seed Data via Open-World Sampling, slides, tables of the experiments"

// PublishedWorlds returns both published tables, on ImageNet-100-LT with ResNet-50. The slides do not define the
// numbers after ±.
func PublishedWorlds() []PublishedWorld {
	const lin, few = LinearSeparability, FewShots
	const mixed = placesMix
	of := func(r mak.Rule) string { return r.String() }
	random, center, both, all := of(mak.Random), of(mak.OnlyDiversity), of(mak.TailnessProximity), of(mak.MAK)
	tail, near := of(mak.OnlyTailness), of(mak.OnlyProximity)
	return []PublishedWorld{
		{"", 0, NothingAdded, lin, [5]float64{71.2, 65.3, 62.7, 3.6, 67.3}, [5]float64{0.8, 0.7, 0.9, 0.5, 0.7}},
		{"", 0, NothingAdded, few, [5]float64{52.6, 40.5, 32.5, 8.3, 44.2}, [5]float64{0.3, 1.5, 1.1, 0.4, 1.0}},
		{ImageNetPool, 10_000, random, lin, [5]float64{74.6, 69.7, 66.1, 3.5, 71.2}, [5]float64{0.3, 0.4, 1.2, 0.5, 0.2}},
		{ImageNetPool, 10_000, random, few, [5]float64{56.6, 48.6, 43.7, 5.3, 51.1}, [5]float64{1.2, 0.4, 1.7, 1.2, 0.1}},
		{ImageNetPool, 10_000, center, lin, [5]float64{73.6, 68.6, 64.5, 3.8, 70.0}, [5]float64{0.3, 0.8, 0.9, 0.3, 0.4}},
		{ImageNetPool, 10_000, center, few, [5]float64{55.0, 45.8, 39.1, 6.5, 48.5}, [5]float64{0.4, 0.3, 1.1, 0.6, 0.2}},
		{ImageNetPool, 10_000, tail, lin, [5]float64{74.5, 69.2, 66.3, 3.4, 70.9}, [5]float64{0.6, 0.6, 1.1, 0.6, 0.4}},
		{ImageNetPool, 10_000, tail, few, [5]float64{55.7, 46.5, 40.2, 6.4, 49.3}, [5]float64{0.4, 0.5, 1.6, 0.4, 0.4}},
		{ImageNetPool, 10_000, near, lin, [5]float64{74.0, 68.4, 65.5, 3.6, 70.2}, [5]float64{0.9, 0.7, 1.3, 0.3, 0.4}},
		{ImageNetPool, 10_000, near, few, [5]float64{55.0, 46.6, 40.8, 5.8, 49.1}, [5]float64{0.2, 0.3, 1.4, 0.5, 0.3}},
		{ImageNetPool, 10_000, both, lin, [5]float64{75.8, 69.9, 69.8, 2.9, 72.2}, [5]float64{0.4, 0.3, 1.3, 0.5, 0.2}},
		{ImageNetPool, 10_000, both, few, [5]float64{57.7, 48.0, 46.4, 5.0, 51.5}, [5]float64{0.7, 1.0, 0.7, 0.7, 0.3}},
		{ImageNetPool, 10_000, all, lin, [5]float64{76.1, 70.8, 69.3, 3.0, 72.7}, [5]float64{0.6, 0.5, 0.8, 0.1, 0.4}},
		{ImageNetPool, 10_000, all, few, [5]float64{57.4, 48.9, 46.3, 4.8, 51.9}, [5]float64{0.6, 0.2, 1.5, 0.2, 0.4}},
		{ImageNetPool, 20_000, random, lin, [5]float64{75.7, 71.8, 69.6, 2.6, 73.0}, [5]float64{0.2, 0.1, 1.1, 0.4, 0.1}},
		{ImageNetPool, 20_000, random, few, [5]float64{57.4, 49.9, 45.9, 4.8, 52.3}, [5]float64{0.7, 0.3, 0.4, 0.2, 0.5}},
		{ImageNetPool, 20_000, all, lin, [5]float64{78.0, 73.4, 72.4, 2.4, 75.1}, [5]float64{0.8, 0.6, 0.3, 0.3, 0.6}},
		{ImageNetPool, 20_000, all, few, [5]float64{59.0, 52.9, 50.0, 3.8, 54.9}, [5]float64{0.9, 0.5, 0.4, 0.5, 0.4}},
		{mixed, 10_000, random, lin, [5]float64{73.8, 67.9, 65.1, 3.6, 69.8}, [5]float64{0.7, 0.5, 0.9, 0.2, 0.5}},
		{mixed, 10_000, random, few, [5]float64{55.5, 45.8, 38.9, 6.9, 48.7}, [5]float64{0.5, 0.8, 0.7, 0.3, 0.4}},
		{mixed, 10_000, center, lin, [5]float64{73.0, 67.7, 65.4, 3.2, 69.5}, [5]float64{0.6, 0.1, 1.5, 0.4, 0.4}},
		{mixed, 10_000, center, few, [5]float64{54.2, 45.6, 38.4, 6.5, 48.0}, [5]float64{0.1, 0.4, 0.9, 0.3, 0.3}},
		{mixed, 10_000, all, lin, [5]float64{74.7, 69.2, 66.6, 3.3, 71.1}, [5]float64{0.2, 0.7, 0.7, 0.3, 0.5}},
		{mixed, 10_000, all, few, [5]float64{56.8, 45.1, 42.6, 6.2, 49.3}, [5]float64{0.7, 0.9, 0.8, 0.1, 0.7}},
	}
}

// claimsOpenWorld returns the slides' conclusions from their tables, on the mixed pool of size laptop and on ImageNet,
// and COLT's questions and statements about in-distribution images and outliers.
func claimsOpenWorld() (list []Claim) {
	mixed, inside, outside := PoolOf("FMNIST", MixedPool), PoolOf("FMNIST", InsidePool), PoolOf("FMNIST", OutsidePool)
	name := func(r mak.Rule) string { return r.String() }
	for _, setting := range []string{mixed, PoolOf("CIFAR-10", MixedPool), PoolOf("ImageNet-100", ImageNetPool)} {
		small := setting == PoolOf("CIFAR-10", MixedPool)
		for _, protocol := range []string{LinearSeparability, FewShots} {
			add := func(statement, above, below string, by Measure) {
				list = append(list, Claim{Experiment: experimentMAK, Statement: protocol + ": " + statement, Source: sourceMAK, Setting: setting,
					Above: Row{above, protocol}, Below: Row{below, protocol}, Measure: by})
			}
			add("MAK's images are better than random ones", name(mak.MAK), name(mak.Random), AllAccuracy)
			add("MAK's images are better than random ones for rare classes", name(mak.MAK), name(mak.Random), FewAccuracy)
			add("MAK balances: random images leave a larger Std", name(mak.Random), name(mak.MAK), GroupStd)
			add("random images help", name(mak.Random), NothingAdded, AllAccuracy)
			add("MAK's images help rare classes", name(mak.MAK), NothingAdded, FewAccuracy)
			if small {
				continue
			}
			add("MAK's images are better than those of k-center", name(mak.MAK), name(mak.OnlyDiversity), AllAccuracy)
			add("k-center alone is worse than random", name(mak.Random), name(mak.OnlyDiversity), AllAccuracy)
			add("tailness alone is worse than random", name(mak.Random), name(mak.OnlyTailness), AllAccuracy)
			add("proximity alone is worse than random", name(mak.Random), name(mak.OnlyProximity), AllAccuracy)
			add("tailness needs proximity: both are better than tailness", name(mak.TailnessProximity), name(mak.OnlyTailness), AllAccuracy)
			add("diversity adds to both: MAK is better than without it", name(mak.MAK), name(mak.TailnessProximity), AllAccuracy)
		}
	}
	const colt = "On the Effectiveness of Out-of-Distribution Data in Self-Supervised Long-Tail Learning (COLT), abstract"
	for _, protocol := range []string{LinearSeparability, FewShots} {
		add := func(statement, setting, above, belowSetting, below string, by Measure) {
			list = append(list, Claim{Experiment: experimentMAK, Statement: protocol + ": " + statement, Source: colt, Setting: setting,
				Above: Row{above, protocol}, Below: Row{below, protocol}, BelowSetting: belowSetting, Measure: by})
		}
		add("outliers help: random outliers are better than nothing", outside, name(mak.Random), mixed, NothingAdded, AllAccuracy)
		add("outliers help rare classes", outside, name(mak.Random), mixed, NothingAdded, FewAccuracy)
		add("outliers balance: nothing added leaves a larger Std", mixed, NothingAdded, outside, name(mak.Random), GroupStd)
		add("outliers do better than images in distribution, both drawn at random", outside, name(mak.Random), inside, name(mak.Random), AllAccuracy)
		add("outliers do better than images in distribution, both chosen by MAK", outside, name(mak.MAK), inside, name(mak.MAK), AllAccuracy)
	}
	return list
}

// OpenWorldMethods lists the methods of [OpenWorld] in the order of tables.
func OpenWorldMethods() []string {
	methods := []string{NothingAdded}
	for _, r := range []mak.Rule{mak.Random, mak.OnlyDiversity, mak.OnlyTailness, mak.OnlyProximity, mak.TailnessProximity, mak.MAK} {
		methods = append(methods, r.String())
	}
	return methods
}

// OpenWorldSetting returns the setting of the published tables at a size: the first one.
func OpenWorldSetting(size experiment.Size) (string, error) {
	list, err := openWorlds(size)
	if err != nil {
		return "", err
	}
	return list[0].Name, nil
}
