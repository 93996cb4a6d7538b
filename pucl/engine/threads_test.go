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
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// digestEnv makes a child process compute and print a digest, of training or of sums besides.
const digestEnv = "PUCL_TEST_DIGEST"

// TestTheSameBitsOnAnyNumberOfThreads checks that a few steps of training give the same weights with 1 and 4 threads.
// In reproducible mode everything must give the same results with any number. Each number of threads has its own
// process.
func TestTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	expect.Slow(t)
	if what := os.Getenv(digestEnv); what != "" {
		fmt.Printf("\ndigest %016x\n", digest(t, what))
		return
	}
	var all sync.WaitGroup
	digests := map[string][2]*string{}
	for _, c := range []struct {
		what, reproducible string
		threads            [2]int
	}{{"training", "0", [2]int{1, 4}}, {"sums", "1", [2]int{1, 12}}} {
		digests[c.what] = [2]*string{new(string), new(string)}
		for i, threads := range c.threads {
			// oneDNN must not compute in bfloat16, for any value of its own variable.
			mode := "ONEDNN_DEFAULT_FPMATH_MODE=" + []string{"BF16", "STRICT"}[i]
			of := digests[c.what][i]
			all.Go(func() { *of = digestOfChild(t, c.what, c.reproducible, threads, mode) })
		}
	}
	all.Wait()
	for what, of := range digests {
		expect.That(t, *of[0] == *of[1] && *of[0] != "",
			"%s: digests %q and %q by the number of threads", what, *of[0], *of[1])
	}
}

// digestOfChild returns the output of a child process, "" if it fails.
func digestOfChild(t *testing.T, what, reproducible string, threads int, more ...string) string {
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), digestEnv+"="+what, "PUCL_REPRODUCIBLE="+reproducible)
	for _, name := range []string{"GOMAXPROCS", "NPROC", "OMP_NUM_THREADS"} {
		child.Env = append(child.Env, name+"="+strconv.Itoa(threads))
	}
	child.Env = append(child.Env, more...)
	out, err := child.CombinedOutput()
	_, after, found := strings.Cut(string(out), "\ndigest ")
	expect.That(t, err == nil && found, "%d threads: %v\n%s", threads, err, out)
	got, _, _ := strings.Cut(after, "\n")
	return got
}

func digest(t *testing.T, what string) uint64 {
	eng := expect.Must(engine.Open())(t)
	sum := fnv.New64a()
	if what == "training" {
		images := noise{}
		m := expect.Must(train.Pretrain(context.Background(), eng, images, train.Config{
			Encoder: encoder.SmallCNN{Width: 16, Dim: 32}, Recipe: augment.Recipe{augment.CropJitter{}}, Steps: 4, Seed: 1,
		}))(t)
		pixels, _, _ := images.Batch(0)
		embedding := expect.Must(m.Embed(eng, pixels))(t)
		fmt.Fprintf(sum, "%x", embedding.Z.RawMatrix().Data)
		return sum.Sum64()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var args []any
	for _, s := range [][3]int{{128, 2, 60000}, {128, 10, 5000}, {64, 64, 3000}, {7, 300, 2500}, {128, 128, 20000}} {
		args = append(args, normal(rng, s[2], s[0]), normal(rng, s[2], s[1]), normal(rng, s[0], s[2]), normal(rng, s[2], s[1]))
	}
	for _, out := range expect.Must(CallOnceN(eng.Backend, func(in []*Node) (out []*Node) {
		for i := 0; i < len(in); i += 2 {
			out = append(out, DotGeneral(in[i], []int{i / 2 % 2}, nil, in[i+1], []int{0}, nil))
		}
		return out
	}, args...))(t) {
		fmt.Fprintf(sum, "%x", tensors.MustCopyFlatData[float32](out))
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

// noise has the same few images in every step, a quarter of them labeled positives.
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
