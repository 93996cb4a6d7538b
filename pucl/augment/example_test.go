package augment_test

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
)

// The recipe of A.7.3 for CIFAR-10, and the numbers of one view of a 32×32 image in color.
func ExampleRecipe() {
	recipe := augment.CIFAR(32)
	for _, step := range recipe {
		fmt.Println(step)
	}
	numbers, err := recipe.Draw(rand.New(rand.NewPCG(1, 0)), augment.Shape{Height: 32, Width: 32, Channels: 3}, 1)
	check(err)
	fmt.Println("crop:", numbers[:4], "flip:", numbers[4])
	// Output:
	// crop of 0.08–1 of the area, ratio 0.75–1.33, to 32×32, bilinear
	// horizontal flip with probability 0.5
	// Gaussian blur of 13 pixels, σ 0.1–2, with probability 0.5
	// brightness ±0.4, contrast ±0.4, saturation ±0.4, hue ±0.1 with probability 0.8
	// grayscale with probability 0.2
	// (pixels − [0.4914 0.4822 0.4465])/[0.247 0.2435 0.2616]
	// crop: [10 0 18 18] flip: 0
}

// Two images of 2×2 pixels: the first is flipped, the second is not.
func ExampleRecipe_Bytes() {
	eng, err := engine.Open()
	check(err)
	recipe := augment.Recipe{augment.Flip{}}
	images := []uint8{
		1, 2,
		3, 4,

		5, 6,
		7, 8,
	}
	views, shape, err := recipe.Bytes(eng, images, augment.Shape{Height: 2, Width: 2, Channels: 1}, []float32{1, 0})
	fmt.Println(views, shape, err)
	// Output: [2 1 4 3 5 6 7 8] 2×2×1 <nil>
}

// A user-defined augmentation: the picture fades to black by a random share u, here a quarter and a half.
func ExampleFunc() {
	eng, err := engine.Open()
	check(err)
	fade := augment.Func{
		Name:     "fade",
		Uniforms: 1,
		Graph: func(images, u *Node) *Node {
			return Mul(images, OneMinus(Reshape(u, -1, 1, 1, 1)))
		},
	}
	shape := augment.Shape{Height: 1, Width: 1, Channels: 1}
	views, _, err := augment.Recipe{fade}.Bytes(eng, []uint8{100, 200}, shape, []float32{0.25, 0.5})
	fmt.Println(views, err)
	// Output: [75 100] <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
