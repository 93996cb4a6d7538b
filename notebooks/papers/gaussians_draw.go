package papers

import (
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// LeadsOver returns a curve for each row: its lead in points of accuracy over another row at the end, paired by seed,
// with the 95% interval over seeds, at each x in the setting setting(x). Points with fewer than two done pairs of runs
// are omitted.
func LeadsOver(cells *experiment.Cells, rows []Row, below Row, x []float64, setting func(x float64) string) []viz.Curve {
	var curves []viz.Curve
	for _, row := range rows {
		curve := viz.Curve{Name: row.String()}
		for _, x := range x {
			addSummary(&curve, x, lead(cells, setting(x), row, below), 100)
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}
