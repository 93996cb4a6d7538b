package onednn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// conv returns a convolution as go-xla writes it.
func conv(labels, padding, strides, leftDilation, rightDilation, left, right, result string) string {
	return fmt.Sprintf(`    %%7 = "stablehlo.convolution"(%%x, %%_encoder_w) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<%s>,
      feature_group_count = 1 : i64,
      lhs_dilation = array<i64: %s>,
      padding = dense<[%s]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: %s>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: %s>
    } : (tensor<%s>, tensor<%s>) -> tensor<%s>
`, labels, leftDilation, padding, rightDilation, strides, left, right, result)
}

// dot returns a product as go-xla writes it.
func dot(leftBatch, rightBatch, leftSummed, rightSummed, left, right, result string) string {
	return fmt.Sprintf(`    %%7 = "stablehlo.dot_general"(%%x, %%y) {
      dot_dimension_numbers = #stablehlo.dot<
  lhs_batching_dimensions = [%s],
  rhs_batching_dimensions = [%s],
  lhs_contracting_dimensions = [%s],
  rhs_contracting_dimensions = [%s]
>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]
    } : (tensor<%s>, tensor<%s>) -> tensor<%s>
`, leftBatch, rightBatch, leftSummed, rightSummed, left, right, result)
}

const (
	plain    = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
	turned   = "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]"
	ofKernel = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"
)

func TestRewriteAsksForTheRightOperation(t *testing.T) {
	for _, c := range []struct {
		name, statement string
		want            any
	}{
		{"convolution", conv(plain, "[1, 2], [3, 4]", "1, 1", "1, 1", "1, 1", "8x6x7x3xf32", "3x5x3x10xf32", "8x7x10x10xf32"), convolution{
			what: forward, images: 8, in: 3, out: 10, size: [2]int{6, 7}, kernel: [2]int{3, 5}, result: [2]int{7, 10},
			stride: [2]int{1, 1}, dilation: [2]int{1, 1}, before: [2]int{1, 3}, after: [2]int{2, 4},
			xStrides: [4]int{126, 1, 21, 3}, wStrides: [4]int{1, 10, 150, 30}, yStrides: [4]int{700, 1, 100, 10},
		}},
		{"gradient for the kernel", conv(ofKernel, "[1, 1], [1, 1]", "1, 1", "1, 1", "1, 1", "64x8x8x16xf32", "64x8x8x32xf32", "3x3x16x32xf32"), convolution{
			what: kernelGradient, images: 64, in: 16, out: 32, size: [2]int{8, 8}, kernel: [2]int{3, 3}, result: [2]int{8, 8},
			stride: [2]int{1, 1}, dilation: [2]int{1, 1}, before: [2]int{1, 1}, after: [2]int{1, 1},
			xStrides: [4]int{1024, 1, 128, 16}, wStrides: [4]int{1, 32, 1536, 512}, yStrides: [4]int{2048, 1, 256, 32},
		}},
		{"gradient for the input, stride 2", conv(turned, "[1, 2], [1, 2]", "1, 1", "2, 2", "1, 1", "4x4x4x32xf32", "3x3x16x32xf32", "4x8x8x16xf32"), convolution{
			what: inputGradient, images: 4, in: 16, out: 32, size: [2]int{8, 8}, kernel: [2]int{3, 3}, result: [2]int{4, 4},
			stride: [2]int{2, 2}, dilation: [2]int{1, 1}, before: [2]int{1, 1}, after: [2]int{0, 0},
			xStrides: [4]int{1024, 1, 128, 16}, wStrides: [4]int{1, 32, 1536, 512}, yStrides: [4]int{512, 1, 128, 32}, flipped: true,
		}},
		{"product", dot("", "", "1", "0", "70x80xf32", "80x90xf32", "70x90xf32"),
			product{batch: 1, rows: 70, columns: 90, inner: 80, leftStrides: [3]int{1, 80, 1}, rightStrides: [3]int{1, 90, 1}}},
		{"product of a batch, transposed", dot("0", "0", "1", "2", "6x40x50xf32", "6x30x40xf32", "6x50x30xf32"),
			product{batch: 6, rows: 50, columns: 30, inner: 40, leftStrides: [3]int{2000, 1, 50}, rightStrides: [3]int{1200, 1, 40}}},
		{"many small products", dot("0", "0", "2", "1", "16x2x3xf32", "16x3x20xf32", "16x2x20xf32"),
			product{batch: 16, rows: 2, columns: 20, inner: 3, leftStrides: [3]int{6, 3, 1}, rightStrides: [3]int{60, 20, 1}}},
		{"product over two axes", dot("", "", "1, 2", "0, 1", "70x8x16xf32", "8x16x90xf32", "70x90xf32"),
			product{batch: 1, rows: 70, columns: 90, inner: 128, leftStrides: [3]int{1, 128, 1}, rightStrides: [3]int{1, 90, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked any
			program := "    %6 = before\n" + c.statement + "    %8 = after\n"
			changed := rewrite(program, func(operation any) int { asked = operation; return 41 })
			expect.That(t, asked == c.want, "asked for\n%+v, want\n%+v", asked, c.want)
			for _, part := range []string{"    %6 = before\n    %7 = \"stablehlo.custom_call\"(%x, %", "plan = 41", "\n    %8 = after\n"} {
				expect.That(t, strings.Contains(changed, part), "%q is missing in\n%s", part, changed)
			}
			_, types, _ := strings.Cut(c.statement, " : (tensor")
			expect.That(t, strings.Contains(changed, types), "types changed:\n%s", changed)
			expect.Equal(t, rewrite(program, func(any) int { return -1 }), program)
		})
	}
}

func TestRewriteLeavesTheRest(t *testing.T) {
	good := conv(plain, "[1, 1], [1, 1]", "1, 1", "1, 1", "1, 1", "8x6x6x16xf32", "3x3x16x16xf32", "8x6x6x16xf32")
	for name, program := range map[string]string{
		"another type":                  strings.ReplaceAll(good, "f32", "f64"),
		"bfloat16":                      strings.ReplaceAll(good, "f32", "bf16"),
		"groups":                        strings.ReplaceAll(good, "feature_group_count = 1 ", "feature_group_count = 16 "),
		"groups of the batch":           strings.ReplaceAll(good, "batch_group_count = 1 ", "batch_group_count = 4 "),
		"a reversed window":             strings.ReplaceAll(good, "i1: false, false", "i1: true, false"),
		"something cut off":             strings.ReplaceAll(good, "[1, 1], [1, 1]", "[-1, 1], [1, 1]"),
		"both dilated and strided":      conv(turned, "[1, 2], [1, 2]", "2, 2", "2, 2", "1, 1", "4x4x4x32xf32", "3x3x16x32xf32", "4x4x4x16xf32"),
		"one spatial axis":              strings.ReplaceAll(good, "8x6x6x16xf32", "8x6x16xf32"),
		"several devices":               "sdy.mesh @m = <[\"shards\"=2]>\n" + good,
		"several partitions":            "module attributes {mhlo.num_partitions = 2 : i64} {\n" + good,
		"a small product":               dot("", "", "1", "0", "7x8xf32", "8x9xf32", "7x9xf32"),
		"a few small products":          dot("0", "0", "2", "1", "15x2x3xf32", "15x3x20xf32", "15x2x20xf32"),
		"a matrix and a vector":         dot("", "", "1", "0", "5000x800xf32", "800xf32", "5000xf32"),
		"few columns":                   dot("", "", "1", "0", "60000x128xf32", "128x10xf32", "60000x10xf32"),
		"a long stride":                 dot("", "", "0", "0", "16x16777216xf32", "16x20xf32", "16777216x20xf32"),
		"a long stride on the right":    dot("", "", "1", "0", "20x16xf32", "16x16777216xf32", "20x16777216xf32"),
		"a long sum":                    dot("", "", "1", "0", "20x16777216xf32", "16777216x20xf32", "20x20xf32"),
		"a result of 2³¹ numbers":       dot("", "", "1", "0", "32768x64xf32", "64x65536xf32", "32768x65536xf32"),
		"axes in another order":         dot("", "", "1, 2", "1, 0", "70x8x16xf32", "16x8x90xf32", "70x90xf32"),
		"a turned kernel between":       conv("[b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]", "[1, 2], [1, 2]", "1, 1", "2, 2", "1, 1", "4x4x4x32xf32", "16x3x3x32xf32", "4x8x8x16xf32"),
		"no labels":                     strings.ReplaceAll(good, plain, "[]x[]->[]"),
		"a label twice":                 strings.ReplaceAll(good, plain, "[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]"),
		"a label of something else":     strings.ReplaceAll(good, plain, "[b, 0, 1, f]x[0, 1, i, z]->[b, 0, 1, f]"),
		"a label of many letters":       strings.ReplaceAll(good, plain, "[b01f]x[0, 1, i, o]->[b, 0, 1, f]"),
		"channels that differ":          strings.ReplaceAll(good, "3x3x16x16xf32", "3x3x15x16xf32"),
		"a result of another size":      strings.ReplaceAll(good, "-> tensor<8x6x6x16xf32>", "-> tensor<8x6x7x16xf32>"),
		"a result of other channels":    strings.ReplaceAll(good, "-> tensor<8x6x6x16xf32>", "-> tensor<8x6x6x17xf32>"),
		"fewer images in the result":    strings.ReplaceAll(good, "-> tensor<8x6x6x16xf32>", "-> tensor<7x6x6x16xf32>"),
		"a stride of 0":                 strings.ReplaceAll(good, "window_strides = array<i64: 1, 1>", "window_strides = array<i64: 0, 1>"),
		"a negative dilation":           strings.ReplaceAll(good, "rhs_dilation = array<i64: 1, 1>", "rhs_dilation = array<i64: 1, -1>"),
		"padding past 64 bits":          strings.ReplaceAll(good, "[1, 1], [1, 1]", "[99999999999999999999, 1], [1, 1]"),
		"padding near 64 bits":          strings.ReplaceAll(good, "[1, 1], [1, 1]", "[9223372036854775807, 1], [1, 1]"),
		"a dimension past 64 bits":      strings.ReplaceAll(good, "8x6x6x16xf32", "99999999999999999999x6x6x16xf32"),
		"an axis that is not there":     dot("", "", "2", "0", "70x80xf32", "80x90xf32", "70x90xf32"),
		"a negative axis":               dot("", "", "-1", "0", "70x80xf32", "80x90xf32", "70x90xf32"),
		"an axis twice":                 dot("", "", "1, 1", "0, 0", "70x80xf32", "80x90xf32", "70x90xf32"),
		"an axis of both kinds":         dot("1", "0", "1", "0", "70x80xf32", "80x90xf32", "80x70x90xf32"),
		"sums that differ":              dot("", "", "1", "0", "70x80xf32", "81x90xf32", "70x90xf32"),
		"batches that differ":           dot("0", "0", "1", "2", "6x40x50xf32", "5x30x40xf32", "6x50x30xf32"),
		"a product of another size":     dot("", "", "1", "0", "70x80xf32", "80x90xf32", "70x91xf32"),
		"more axes on one side":         dot("", "", "1", "", "70x80xf32", "80x90xf32", "70x80x90xf32"),
		"a dimension that is not known": strings.ReplaceAll(good, "8x6x6x16xf32", "?x6x6x16xf32"),
	} {
		t.Run(name, func(t *testing.T) {
			got := rewrite(program, func(operation any) int { t.Errorf("asked for %+v", operation); return 1 })
			expect.That(t, got == program, "changed to\n%s", got)
		})
	}
	if got := rewrite(good, func(any) int { return 1 }); got == good {
		t.Error("the statement from which these are made is not taken either")
	}
}

// FuzzRewrite checks that any program is changed exactly at the operations that oneDNN can compute, that no plan is
// requested for an invalid operation, and that nothing panics.
func FuzzRewrite(f *testing.F) {
	program, err := os.ReadFile("testdata/network.mlir") // as go-xla writes it
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(program))
	f.Add(conv(plain, "[1, 1], [1, 1]", "1, 1", "1, 1", "1, 1", "8x6x6x16xf32", "3x3x16x16xf32", "8x6x6x16xf32"))
	f.Add(conv(ofKernel, "[1, 1], [1, 1]", "1, 1", "1, 1", "1, 1", "64x8x8x16xf32", "64x8x8x32xf32", "3x3x16x32xf32"))
	f.Add(conv(turned, "[1, 2], [1, 2]", "1, 1", "2, 2", "1, 1", "4x4x4x32xf32", "3x3x16x32xf32", "4x8x8x16xf32"))
	f.Add(dot("", "", "1, 2", "0, 1", "70x8x16xf32", "8x16x90xf32", "70x90xf32"))
	f.Add(dot("0", "0", "1", "2", "6x40x50xf32", "6x30x40xf32", "6x50x30xf32"))
	f.Fuzz(func(t *testing.T, program string) {
		asked := 0
		changed := rewrite(program, func(operation any) int {
			asked++
			sensible(t, operation)
			return 7
		})
		if (changed != program) != (asked > 0) || strings.Count(changed, "puclab_onednn")-strings.Count(program, "puclab_onednn") != asked {
			t.Errorf("%d operations were asked for in\n%s\nwhich became\n%s", asked, program, changed)
		}
		expect.Equal(t, rewrite(program, func(any) int { return -1 }), program)
	})
}

// sensible fails the test if an operation has impossible sizes, or reaches past its arrays.
func sensible(t *testing.T, operation any) {
	t.Helper()
	within := func(size int, dims, strides []int) {
		last := 0
		for i, dim := range dims {
			expect.Require(t, dim >= 1 && strides[i] >= 0, "%+v", operation)
			last += (dim - 1) * strides[i]
		}
		expect.Require(t, size <= math.MaxInt32 && last < size, "%+v reaches number %d of %d", operation, last, size)
	}
	switch o := operation.(type) {
	case convolution:
		if images, out := o.divide(); images < 1 || images > o.images || out < 1 || o.out%out != 0 {
			t.Fatalf("%+v: parts of %d images and %d channels", o, images, out)
		}
		x, y, w := []int{o.images, o.in, o.size[0], o.size[1]}, []int{o.images, o.out, o.result[0], o.result[1]}, []int{o.out, o.in, o.kernel[0], o.kernel[1]}
		within(x[0]*x[1]*x[2]*x[3], x, o.xStrides[:])
		within(y[0]*y[1]*y[2]*y[3], y, o.yStrides[:])
		within(w[0]*w[1]*w[2]*w[3], w, o.wStrides[:])
	case product:
		for i, part := range o.divide() {
			expect.Require(t, part >= 1 && part <= []int{o.batch, o.rows, o.columns, o.inner}[i],
				"%+v: parts %v", o, o.divide())
		}
		within(o.batch*o.rows*o.inner, []int{o.batch, o.rows, o.inner}, o.leftStrides[:])
		within(o.batch*o.inner*o.columns, []int{o.batch, o.inner, o.columns}, o.rightStrides[:])
	}
}

// TestPartsCoverTheWhole checks for sizes of all kinds that parts are neither empty nor larger than the whole, that
// channels divide evenly, and that there are no more parts than oneDNN has room for.
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
			expect.Require(t, part >= 1 && part <= whole[i], "%+v: parts %v", p, p.divide())
			parts *= count(whole[i], part)
		}
		expect.Require(t, parts <= 2*mostSum, "%+v: %d parts %v", p, parts, p.divide())
	}
}

func TestPartsOfSomeSizes(t *testing.T) {
	gradient := convolution{what: kernelGradient, images: 64, in: 512, out: 512, kernel: [2]int{3, 3}, result: [2]int{4, 4}, yStrides: [4]int{8192, 1, 2048, 512}}
	if images, out := gradient.divide(); images != 64 || out != 32 {
		t.Errorf("a large kernel's gradient from few numbers is divided into %d images and %d channels, want all and 32", images, out)
	}
	gradient.yStrides = [4]int{8192, 16, 4, 1} // channels that are not adjacent
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
		expect.That(t, c.product.divide() == c.want, "%+v: parts %v, want %v", c.product, c.product.divide(), c.want)
	}
}
