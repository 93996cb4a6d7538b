package viz_test

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/viz"
)

// A run of 400 steps with a reading every 50.
func ExampleTrainingCurves() {
	rng := rand.New(rand.NewPCG(5, 6))
	run := viz.TrainingLog{Name: "PUCL", Chance: math.Log(511), FullRank: 128}
	for step := range 400 {
		t := float64(step)
		run.Losses = append(run.Losses, 4.95+1.28*math.Exp(-t/80)+0.1*rng.NormFloat64())
		run.Rates = append(run.Rates, 5e-4*(1+math.Cos(math.Pi*t/400))*min(1, (t+1)/20))
		run.GradientNorms = append(run.GradientNorms, 0.4+math.Exp(-t/60)+0.05*rng.Float64())
		run.ProjectionNorms = append(run.ProjectionNorms, 6+t/80+0.5*rng.Float64())
	}
	monitor := viz.Curve{Name: "proxy AUC"}
	for step := 50.0; step <= 400; step += 50 {
		run.ReadingSteps = append(run.ReadingSteps, step)
		run.Alignment = append(run.Alignment, 0.5+0.8*math.Exp(-step/100))
		run.Uniformity = append(run.Uniformity, -3.1+1.5*math.Exp(-step/120))
		run.Ranks = append(run.Ranks, 48-30*math.Exp(-step/150))
		monitor.X, monitor.Y = append(monitor.X, step), append(monitor.Y, 0.88-0.2*math.Exp(-step/90))
	}
	run.Neighbors = []viz.Curve{monitor}
	figure, err := viz.TrainingCurves(viz.TrainingConfig{Figure: viz.Figure{Title: "PUCL on FMNIST-I"}}, run)
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(figure, "testdata/training_curves.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}
