package cluster_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/cluster"
)

// Labeled points at 0 and 1, unlabeled ones at 1, 10 and 11. From every start the negative center ends at 10.5.
func ExamplePUPL() {
	x := mat.NewDense(5, 1, []float64{0, 1, 1, 10, 11})
	labeled := []bool{true, true, false, false, false}
	c, err := cluster.PUPL(x, labeled, cluster.Config{Restarts: 5, Seed: 1})
	check(err)
	fmt.Println(c.Positive, c.NegativeCenter)
	// Output: [true true true false false] [10.5]
}

// Labeled points at 0 and 1, unlabeled ones at 2, 4, 5 and 9, the negative center at 9. The centers move from 0.5 and 9
// to 1.75 and 7, so that 2 and 4 are positive.
func ExampleFrom() {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 4, 5, 9})
	labeled := []bool{true, true, false, false, false, false}
	c, err := cluster.From(x, labeled, 5)
	check(err)
	fmt.Println(c.PositiveCenter, c.NegativeCenter, c.Positive, c.Potential)
	// Output: [1.75] [7] [true true true true false false] 16.75
}

// Rows around 0, 10 and 20 in three clusters, started at a row of each.
func ExampleKMeans() {
	x := cluster.Float32s{Data: []float32{-1, 1, 9, 10, 11, 20}, D: 1}
	start := mat.NewDense(3, 1, []float64{1, 9, 20})
	p, err := cluster.KMeans{K: 3, Centers: start}.Fit(x)
	check(err)
	fmt.Println(p.Labels, p.Counts, p.Converged)
	fmt.Printf("%.4f\n", p.Potential)
	// Output:
	// [0 0 1 1 1 2] [2 3 1] true
	// 4.0000
}

// fileRows is a Source of n rows of d numbers in a file: float32, little-endian, row by row, as numpy's x.tofile writes
// them.
type fileRows struct {
	file io.ReaderAt
	n, d int
}

func (r fileRows) Dims() (n, d int) { return r.n, r.d }

func (r fileRows) Read(first int, rows []float32) error {
	return binary.Read(io.NewSectionReader(r.file, int64(first)*int64(r.d)*4, int64(len(rows))*4), binary.LittleEndian, rows)
}

// Rows around 0, 10 and 20, read two at a time from a file, which may be larger than memory.
func ExampleSource() {
	folder, err := os.MkdirTemp("", "rows")
	check(err)
	defer os.RemoveAll(folder)
	file, err := os.Create(filepath.Join(folder, "rows.f32"))
	check(err)
	defer file.Close()
	check(binary.Write(file, binary.LittleEndian, []float32{-1, 1, 9, 10, 11, 20}))

	p, err := cluster.KMeans{K: 3, Block: 2}.Fit(fileRows{file, 6, 1})
	check(err)
	fmt.Println(p.Labels[0] == p.Labels[1], p.Labels[2] == p.Labels[4], p.Converged)
	fmt.Printf("%.4f\n", p.Potential)
	// Output:
	// true true true
	// 4.0000
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
