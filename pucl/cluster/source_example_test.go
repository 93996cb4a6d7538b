package cluster_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/pucl/cluster"
)

// fileRows are n rows of d numbers in a file, float32 in little-endian order and one after the other, as numpy's x.tofile writes them.
type fileRows struct {
	file io.ReaderAt
	n, d int
}

func (r fileRows) Dims() (n, d int) { return r.n, r.d }

func (r fileRows) Read(first int, rows []float32) error {
	return binary.Read(io.NewSectionReader(r.file, int64(first)*int64(r.d)*4, int64(len(rows))*4), binary.LittleEndian, rows)
}

// Rows around 0, 10 and 20, two at a time from a file, which may be larger than memory.
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
