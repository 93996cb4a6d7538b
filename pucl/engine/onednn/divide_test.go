package onednn

import (
	"math/rand/v2"
	"testing"
)

// TestPartsCoverTheWhole: for sizes of all kinds parts are neither empty nor larger than the whole, channels divide evenly, and there are
// no more parts than oneDNN is to be given room for.
func TestPartsCoverTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	size := func(most int) int { return 1 + rng.IntN(1+rng.IntN(most)) }
	count := func(whole, part int) int { return (whole + part - 1) / part }
	for range 20000 {
		c := convolution{what: what(rng.IntN(3)), images: size(2000), in: size(600), out: size(600),
			kernel: [2]int{size(7), size(7)}, result: [2]int{size(60), size(60)}}
		pixels := c.result[0] * c.result[1]
		c.yStrides = [4]int{pixels * c.out, 1, c.result[1] * c.out, c.out}
		images, out := c.divide()
		if images < 1 || images > c.images || out < 1 || c.out%out != 0 || count(c.images, images) > mostOf ||
			c.what == kernelGradient && count(c.images, images) > mostSum || c.what != kernelGradient && out != c.out {
			t.Fatalf("%+v: parts of %d images and %d channels", c, images, out)
		}
		p := product{batch: size(100), rows: size(3000), columns: size(3000), inner: size(100000)}
		whole, parts := [4]int{p.batch, p.rows, p.columns, p.inner}, 1
		for i, part := range p.divide() {
			if part < 1 || part > whole[i] {
				t.Fatalf("%+v: parts %v", p, p.divide())
			}
			parts *= count(whole[i], part)
		}
		if parts > 2*mostSum {
			t.Fatalf("%+v: %d parts %v", p, parts, p.divide())
		}
	}
}

func TestPartsOfSomeSizes(t *testing.T) {
	gradient := convolution{what: kernelGradient, images: 64, in: 512, out: 512, kernel: [2]int{3, 3}, result: [2]int{4, 4}, yStrides: [4]int{8192, 1, 2048, 512}}
	if images, out := gradient.divide(); images != 64 || out != 32 {
		t.Errorf("a large kernel's gradient from few numbers is divided into %d images and %d channels, want all and 32", images, out)
	}
	gradient.yStrides = [4]int{8192, 16, 4, 1} // channels that do not lie side by side
	if images, out := gradient.divide(); images != 64 || out != 512 {
		t.Errorf("in another order of axes into %d images and %d channels, want all", images, out)
	}
	for _, c := range []struct {
		product product
		want    [4]int
	}{
		{product{batch: 1, rows: 50, columns: 40, inner: 30}, [4]int{1, 50, 40, 30}},
		{product{batch: 1, rows: 1024, columns: 1024, inner: 1024}, [4]int{1, 256, 256, 1024}},
		{product{batch: 1, rows: 128, columns: 10, inner: 60000}, [4]int{1, 128, 10, 3760}},
		{product{batch: 1000, rows: 100, columns: 100, inner: 100}, [4]int{63, 100, 100, 100}},
	} {
		if c.product.divide() != c.want {
			t.Errorf("%+v: parts %v, want %v", c.product, c.product.divide(), c.want)
		}
	}
}
