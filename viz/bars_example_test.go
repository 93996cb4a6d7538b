package viz_test

import (
	"log"

	"github.com/puclab/puclab/viz"
)

// A sum and its parts.
func ExampleBars() {
	p, err := viz.Bars(viz.BarsConfig{Figure: viz.Figure{Title: "The bias of the loss, and what it is made of", XLabel: "nats"}},
		viz.Bar{Name: "attraction", Value: -0.33},
		viz.Bar{Name: "log partition", Value: 0.91},
		viz.Bar{Name: "loss", Value: 1.24, Strong: true},
	)
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/bars.png", 6.5*viz.Inch, 2*viz.Inch); err != nil {
		log.Fatal(err)
	}
}
