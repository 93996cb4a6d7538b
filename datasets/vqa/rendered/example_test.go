package rendered_test

import (
	"fmt"

	"github.com/puclab/puclab/datasets/vqa/rendered"
)

// Two images, one of them with the caption of the other.
func ExampleMake() {
	s, err := rendered.Make(rendered.Config{Images: 2, Questions: 2, Disagreement: 0.2, FalsePositives: 0.5, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, scene := range s.Scenes {
		fmt.Printf("image %d shows %s\n  its caption: %s\n", i, scene.Caption(), s.Captions[i])
	}
	for _, e := range s.Examples {
		fmt.Printf("image %d: %s %s %v\n", e.ImageID, e.Text, e.Consensus, e.Answers)
	}
	// Output:
	// image 0 shows yellow circle top left, yellow cross bottom left, blue square bottom right
	//   its caption: blue square top left, green cross top right, blue square bottom right
	// image 1 shows blue square top left, green cross top right, blue square bottom right
	//   its caption: blue square top left, green cross top right, blue square bottom right
	// image 0: is there a green cross? no [no no yes no no no no yes yes no]
	// image 0: how many circles are there? 1 [1 2 1 1 1 1 1 0 3 1]
	// image 1: is there a blue square? yes [yes yes no yes yes yes yes no yes yes]
	// image 1: what color is the cross? green [blue green green green green green green green green green]
}
