package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// digestEnv has a child process compute and tell a digest, of training or of sums besides.
const digestEnv = "PUCL_TEST_DIGEST"

// TestTheSameBitsOnAnyNumberOfThreads: a few steps of training give the same weights with 1 and 4 threads; where results are to be
// reproduced, so does everything with any number. Each number of threads has a process of its own.
func TestTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	expect.Slow(t)
	if what := os.Getenv(digestEnv); what != "" {
		fmt.Printf("\ndigest %016x\n", digest(t, what))
		return
	}
	for _, c := range []struct {
		what, reproducible string
		threads            []int
	}{{"training", "0", []int{1, 4}}, {"sums", "1", []int{1, 12}}} {
		// oneDNN is not to compute in bfloat16, whatever its own variable says.
		first := digestOfChild(t, c.what, c.reproducible, c.threads[0], "ONEDNN_DEFAULT_FPMATH_MODE=BF16")
		for _, threads := range c.threads[1:] {
			got := digestOfChild(t, c.what, c.reproducible, threads, "ONEDNN_DEFAULT_FPMATH_MODE=STRICT")
			if got != first {
				t.Errorf("%s, with PUCL_REPRODUCIBLE=%s: %s with %d threads, %s with %d", c.what, c.reproducible, got, threads, first, c.threads[0])
			}
		}
	}
}

func digestOfChild(t *testing.T, what, reproducible string, threads int, more ...string) string {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), digestEnv+"="+what, "PUCL_REPRODUCIBLE="+reproducible)
	for _, name := range []string{"GOMAXPROCS", "NPROC", "OMP_NUM_THREADS"} {
		child.Env = append(child.Env, name+"="+strconv.Itoa(threads))
	}
	child.Env = append(child.Env, more...)
	out, err := child.CombinedOutput()
	_, after, found := strings.Cut(string(out), "\ndigest ")
	if err != nil || !found {
		t.Fatalf("%d threads: %v\n%s", threads, err, out)
	}
	got, _, _ := strings.Cut(after, "\n")
	return got
}

func digest(t *testing.T, what string) uint64 {
	eng, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	sum := fnv.New64a()
	add := func(numbers []float32) {
		fmt.Fprintf(sum, "%x", numbers)
	}
	if what == "training" {
		images := noise{}
		m, err := train.Pretrain(context.Background(), eng, images, train.Config{
			Encoder: encoder.SmallCNN{Width: 16, Dim: 32}, Recipe: augment.Recipe{augment.CropJitter{}}, Steps: 4, Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		pixels, _, _ := images.Batch(0)
		embedding, err := m.Embed(eng, pixels)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%x", embedding.Z.RawMatrix().Data)
		return sum.Sum64()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{128, 2, 60000}, {128, 10, 5000}, {64, 64, 3000}, {7, 300, 2500}, {128, 128, 20000}} {
		for axis := range 2 {
			left := normal(rng, s[0], s[2])
			if axis == 0 {
				left = normal(rng, s[2], s[0])
			}
			out, err := CallOnce(eng.Backend, func(x, y *Node) *Node { return DotGeneral(x, []int{axis}, nil, y, []int{0}, nil) }, left, normal(rng, s[2], s[1]))
			if err != nil {
				t.Fatal(err)
			}
			add(tensors.MustCopyFlatData[float32](out))
		}
	}
	return sum.Sum64()
}

func normal(rng *rand.Rand, dims ...int) *tensors.Tensor {
	flat := make([]float32, dims[0]*dims[1])
	for i := range flat {
		flat[i] = float32(rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

// noise is the same few images in every step, a quarter of them labeled positives.
type noise struct{}

func (noise) ImageShape() (height, width, channels int) { return 20, 20, 1 }

func (noise) Batch(int) (pixels []uint8, labeled []bool, err error) {
	const images = 48
	rng := rand.New(rand.NewPCG(3, 4))
	pixels, labeled = make([]uint8, images*20*20), make([]bool, images)
	for i := range pixels {
		pixels[i] = uint8(rng.Uint32())
	}
	for i := range labeled {
		labeled[i] = i%4 == 0
	}
	return pixels, labeled, nil
}
