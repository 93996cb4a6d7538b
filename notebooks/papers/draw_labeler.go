package papers

import (
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// DrawLabeler returns results for each head of the runs of [Labeler] by a method in a setting: the fraction of correct
// pseudo-labels, the class prior of the labeling, and the accuracy of a linear classifier trained on them. All are in
// percent as mean ± half of the 95% interval over the seeds.
func DrawLabeler(cells *experiment.Cells, setting, method string) viz.Table {
	out := viz.Table{Title: setting + ", encoder by " + method, RowsHeader: "the labeler with"}
	return drawHeads(cells, setting, method, out, LabelerHeads(), LabelsRight, EstimatedPrior)
}
