package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
)

// geometry names the grid for the statements of an introduction to contrastive learning.
const geometry = "geometry"

// Temperatures are the τ of ssCL besides 0.5, which has no number in its name.
func Temperatures() []float64 { return []float64{0.05, 0.1, 0.2, 1} }

// usualTau is the default temperature.
const usualTau = 0.5

// SSCLAt names ssCL with a temperature.
func SSCLAt(tau float64) string {
	if tau == usualTau {
		return "ssCL"
	}
	return fmt.Sprintf("ssCL, τ = %g", tau)
}

// Margins are the margins of the pairwise loss: 1 is a cosine of one half, and 2 repels every pair of different images.
func Margins() []float64 { return []float64{1, 2} }

// PairwiseAt names the pairwise loss with a margin.
func PairwiseAt(margin float64) string { return fmt.Sprintf("pairwise, margin %g", margin) }

// GuessedPriors are the π given to puNCE; the true one is 0.3.
func GuessedPriors() []float64 { return []float64{0.1, 0.3, 0.9} }

// PUNCEAt names puNCE with a class prior.
func PUNCEAt(prior float64) string { return fmt.Sprintf("puNCE, π = %g", prior) }

// OnSphere names a setting with projections on a sphere in the given dimensions; 2 is a circle.
func OnSphere(task string, dimensions int) string {
	return fmt.Sprintf("%s, projections of %d", task, dimensions)
}

// inDimensions returns a setting with projections of that length.
func (s setting) inDimensions(dimensions int) setting {
	s.Name, s.Pretrain.Projection = OnSphere(s.Name, dimensions), dimensions
	return s
}

// Geometry tests statements of an introduction to contrastive learning on images. It varies the temperature of ssCL,
// also on circle and sphere, and the number of views at a constant number of rows in a batch. It adds the pairwise
// loss, and puNCE over its given class prior beside PUCL. It shares runs with [SamplingBias] and [Prototype].
func Geometry(size experiment.Size) (experiment.Grid, error) {
	grid := experiment.Grid{Name: geometry, Size: size}
	s, err := unlabeled(size, UnlabeledTasks(size)[0])
	if err != nil {
		return grid, err
	}
	labeled, err := prototypeSetting(size)
	if err != nil {
		return grid, err
	}
	temperatures, margins, views, dimensions, priors := Temperatures(), Margins(), []int{4, 8}, []int{2, 3}, GuessedPriors()
	if size == experiment.Smoke {
		temperatures, margins, views, dimensions, priors = temperatures[1:2], margins[:1], nil, nil, priors[1:2]
		labeled.Seeds = 1
	}
	ssCL := func(s setting, seed uint64) experiment.Run { return s.classed("ssCL", pucl.SSCL(), balanced, seed) }
	for seed := uint64(1); seed <= uint64(s.Seeds); seed++ {
		grid.Runs = append(grid.Runs, ssCL(s, seed))
		for _, tau := range temperatures {
			at := s
			at.Pretrain.Tau = tau
			grid.Runs = append(grid.Runs, at.classed(SSCLAt(tau), pucl.SSCL(), balanced, seed))
		}
		for _, margin := range margins {
			grid.Runs = append(grid.Runs, s.classed(PairwiseAt(margin), pucl.Pairwise(margin), balanced, seed))
		}
		for _, m := range views {
			grid.Runs = append(grid.Runs, ssCL(s.viewed(m), seed))
		}
		for _, d := range dimensions {
			grid.Runs = append(grid.Runs, ssCL(s.inDimensions(d), seed))
		}
	}
	for seed := uint64(1); seed <= uint64(labeled.Seeds); seed++ {
		grid.Runs = append(grid.Runs, labeled.contrastive(pucl.SSCL(), seed), labeled.contrastive(pucl.PUCL(), seed))
		for _, prior := range priors {
			o := pucl.PUNCE(prior)
			o.Name = PUNCEAt(prior)
			grid.Runs = append(grid.Runs, labeled.contrastive(o, seed))
		}
	}
	return grid, nil
}

// GeometryTask names the task of [Geometry] without labels at a size.
func GeometryTask(size experiment.Size) string {
	return UnlabeledTasks(size)[0] + ", ten classes"
}

// PUNCETask names the setting of [Geometry] with labels at a size.
func PUNCETask(size experiment.Size) (string, error) {
	s, err := prototypeSetting(size)
	return s.Name, err
}

// experimentGeometry is the experiment name of claims about [Geometry].
const experimentGeometry = "geometry"

// claimsGeometry returns the claims of the introduction, and claims about the losses that it names.
func claimsGeometry() (list []Claim) {
	const intro, waves = "An introduction to contrastive learning", "Wang and Liu (2021), Understanding the Behaviour of Contrastive Loss"
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		task := GeometryTask(size)
		add := func(source, statement, setting string, above, below Row) *Claim {
			list = append(list, Claim{Experiment: experimentGeometry, Statement: statement, Source: source, Setting: setting, Above: above, Below: below})
			return &list[len(list)-1]
		}
		for _, head := range []string{Ceiling, Neighbors} {
			for _, tau := range []float64{0.05, 1} {
				add(intro, fmt.Sprintf("the loss is sensitive to τ: 0.2 is above %g (%s)", tau, head), task, Row{SSCLAt(0.2), head}, Row{SSCLAt(tau), head})
			}
			for _, margin := range Margins() {
				add(intro, fmt.Sprintf("many negatives at once: InfoNCE is above the pairwise loss with margin %g (%s)", margin, head), task, Row{"ssCL", head},
					Row{PairwiseAt(margin), head})
			}
			for _, views := range []int{4, 8} {
				add("Tian et al. (2020), Contrastive Multiview Coding", fmt.Sprintf("more views of fewer images: %d views are above 2 (%s)", views, head),
					ViewsOf(task, views), Row{"ssCL", head}, Row{"ssCL", head}).BelowSetting = task
			}
		}
		low, high := SSCLAt(0.1), SSCLAt(1)
		add(waves, "a small τ pushes near images apart: uniformity is lower at 0.1 than at 1", task, Row{Method: high}, Row{Method: low}).Measure = Uniformity
		add(waves, "and pays by alignment, which is worse", task, Row{Method: low}, Row{Method: high}).Measure = Alignment
		labeled, err := PUNCETask(size)
		if err != nil {
			panic(err) // sizes are those above
		}
		for _, head := range []string{PUPLOnZ, Ceiling} {
			add("Acharya et al. (2022), puNCE", "an unlabeled image is part positive: puNCE with the true π is above PUCL, "+head, labeled,
				Row{PUNCEAt(0.3), head}, Row{"PUCL", head})
			for _, prior := range []float64{0.1, 0.9} {
				add("Acharya et al. (2022), puNCE", fmt.Sprintf("π matters: the true one is above %g, %s", prior, head), labeled, Row{PUNCEAt(0.3), head},
					Row{PUNCEAt(prior), head})
			}
		}
	}
	return list
}
