package viz_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"github.com/puclab/puclab/pucl/reduce"
	"github.com/puclab/puclab/viz"
)

// Three losses that fall from the chance level, with noise.
func ExampleLearningCurves() {
	rng := rand.New(rand.NewPCG(1, 2))
	run := func(name string, end float64) viz.Curve {
		c := viz.Curve{Name: name}
		for step := 0; step < 400; step += 2 {
			c.Add(float64(step), end+(6.23-end)*math.Exp(-float64(step)/80)+0.1*rng.NormFloat64())
		}
		return c
	}
	p, err := viz.LearningCurves(viz.CurvesConfig{
		Figure: viz.Figure{Title: "PUCL falls below ssCL"},
		Smooth: 15,
		// The value of pucl.ChanceLevel(256, 2).
		References: []viz.Reference{{Name: "chance level log(2b−1), b = 256", Y: math.Log(2*256 - 1)}},
	}, run("ssCL", 5.4), run("SCL-PU", 4.6), run("PUCL", 4.95))
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/learning_curves.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}

// check ends the program with an error, if there is one.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// save writes a figure, unless it could not be made.
func save(f viz.Drawer, err error, path string, w, h vg.Length) {
	check(err)
	check(viz.Save(f, path, w, h))
}

// cloud returns n points around a center.
func cloud(rng *rand.Rand, name string, n int, x, y float64) viz.Group {
	g := viz.Group{Name: name}
	for range n {
		g.X = append(g.X, x+0.8*rng.NormFloat64())
		g.Y = append(g.Y, y+0.8*rng.NormFloat64())
	}
	return g
}

func ExampleScatter() {
	rng := rand.New(rand.NewPCG(3, 4))
	p, err := viz.Scatter(viz.ScatterConfig{
		Figure: viz.Figure{
			Title:  "Positives lie to the right",
			XLabel: viz.ComponentLabel(1, 0.43),
			YLabel: viz.ComponentLabel(2, 0.21),
		},
		MaxPerGroup: 400,
		Seed:        1,
		EqualAspect: true,
	},
		cloud(rng, viz.LabeledPositive, 30, 2, 1),
		cloud(rng, viz.UnlabeledPositive, 200, 2, 1),
		cloud(rng, viz.Negative, 3000, -1, 0))
	save(p, err, "testdata/scatter.png", 0, 0)
}

// A projection of an embedding of eight dimensions onto its two largest variances, colored once by the true class and
// once by the prediction of a method: here, the sign of the first coordinate.
func ExamplePanels() {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 300
	embedding := mat.NewDense(n, 8, nil)
	class, guess := make([]int, n), make([]int, n)
	for i := range n {
		class[i] = min(i%4, 2) // one in four is a labeled positive, one an unlabeled positive, two are negative
		center := 1.5
		if class[i] == 2 {
			center = -1.5
		}
		for j := range 8 {
			embedding.Set(i, j, center/float64(j+1)+0.9*rng.NormFloat64())
		}
		if embedding.At(i, 0) < 0 {
			guess[i] = 1
		}
	}
	plane, explained, err := reduce.PCA(embedding, 2)
	check(err)
	truth, err := viz.GroupBy(plane, class, viz.LabeledPositive, viz.UnlabeledPositive, viz.Negative)
	check(err)
	guessed, err := viz.GroupBy(plane, guess, viz.Positive, viz.Negative)
	check(err)
	cfg := viz.ScatterConfig{
		Figure: viz.Figure{
			Title:  "True class",
			XLabel: viz.ComponentLabel(1, explained[0]),
			YLabel: viz.ComponentLabel(2, explained[1]),
		},
		EqualAspect: true,
	}
	left, err := viz.Scatter(cfg, truth...)
	check(err)
	cfg.Title = "Pseudo-label"
	right, err := viz.Scatter(cfg, guessed...)
	check(err)
	row, err := viz.Panels(0, 0, left, right)
	save(row, err, "testdata/panels.png", 0, 0)
}

// accuracies is a made-up table of results.
var accuracies = viz.Table{
	Title:      "Test accuracy (%)",
	RowsHeader: "loss",
	Columns:    []string{"500 labels", "1,000 labels", "10,000 labels", "epoch"},
	Rows:       []string{"ssCL", "SCL-PU", "PUCL"},
	Cells: [][]viz.Cell{
		{{Mean: 93.43, Spread: 0.18}, {Mean: 93.43, Spread: 0.18}, {Missing: true}, {Text: "last"}},
		{{Mean: 7.9, Spread: 3.02}, {Mean: 87.93}, {Mean: 95.05}, {Text: "last"}},
		{{Mean: 93.53, Spread: 0.15}, {Mean: 93.55, Spread: 0.18}, {Mean: 94.67, Spread: 0.1}, {Text: "last"}},
	},
	Note: "Mean ± standard deviation of five seeds.",
	Best: viz.Highest,
}

func ExampleTable_Text() {
	text, err := accuracies.Text()
	check(err)
	fmt.Print(text)
	// Output:
	// Test accuracy (%)
	//
	// loss    500 labels   1,000 labels   10,000 labels   epoch
	// ---------------------------------------------------------
	// ssCL    93.4 ± 0.2     93.4 ± 0.2             n/a    last
	// SCL-PU   7.9 ± 3.0     87.9            95.0*         last
	// PUCL    93.5 ± 0.1*    93.5 ± 0.2*     94.7 ± 0.1    last
	//
	// Mean ± standard deviation of five seeds. * The highest of its column.
}

func ExampleTable_Markdown() {
	text, err := accuracies.Markdown()
	check(err)
	fmt.Print(text)
	// Output:
	// **Test accuracy (%)**
	//
	// | loss | 500 labels | 1,000 labels | 10,000 labels | epoch |
	// | :--- | ---: | ---: | ---: | ---: |
	// | ssCL | 93.4 ± 0.2 | 93.4 ± 0.2 | n/a | last |
	// | SCL-PU | 7.9 ± 3.0 | 87.9 | **95.0** | last |
	// | PUCL | **93.5 ± 0.1** | **93.5 ± 0.2** | 94.7 ± 0.1 | last |
	//
	// Mean ± standard deviation of five seeds. Bold: the highest of its column.
}

func ExampleTable_Figure() {
	f, err := accuracies.Figure()
	save(f, err, "testdata/table.png", 0, 0)
}

// Four images of 16 by 16 pixels with a bright square at four positions, and a mirrored view of each below it.
func ExampleImageGrid() {
	const side, n = 16, 4
	pixels := make([]uint8, 2*n*side*side)
	var captions []string
	for view := range 2 {
		for i := range n {
			image := pixels[(view*n+i)*side*side:][:side*side]
			for y := range side {
				for x := range side {
					column := x
					if view == 1 {
						column = side - 1 - x
					}
					image[y*side+column] = uint8(4 * (x + y))
					if x >= 3*i && x < 3*i+4 && y >= 2 && y < 6 {
						image[y*side+column] = 255
					}
				}
			}
			captions = append(captions, []string{"image", "mirrored"}[view]+fmt.Sprint(" ", i+1))
		}
	}
	grid, err := viz.ImageGrid(pixels, side, side, 1, n, captions)
	check(err)
	grid.Title = "What mirroring does"
	check(viz.Save(grid, "testdata/image_grid.png", 0, 0))
}

// Outside a notebook Show prints the alternative text of the figure.
func ExampleShow() {
	p, err := viz.LearningCurves(viz.CurvesConfig{}, viz.Curve{Name: "PUCL", X: []float64{0, 1}, Y: []float64{6, 5}})
	check(err)
	check(viz.Show(p, "The loss of PUCL falls from 6 to 5 in one step."))
	// Output:
	// Figure: The loss of PUCL falls from 6 to 5 in one step.
	// (To see it, run this in a GoNB notebook, or write it to a file: viz.Save(figure, "figure.png", 0, 0).)
}

func ExampleNewProgress() {
	p := viz.NewProgress(os.Stdout, "PUCL", 400)
	p.ViewsPerStep = 512
	p.Update(1, "loss 6.21")
	// Output:
	// PUCL: step 1 of 400 (0 %), loss 6.21
}
