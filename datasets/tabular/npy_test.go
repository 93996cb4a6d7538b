package tabular

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/expect"
)

// npy returns a file of format 1 in NumPy's form, padded so that the numbers start at a multiple of 64 bytes.
func npy(descr string, fortran bool, shape string, values ...any) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	return npyWith(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape), values...)
}

func npyWith(version byte, header string, values ...any) []byte {
	lengthSize := 2
	if version > 1 {
		lengthSize = 4
	}
	for (8+lengthSize+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	out := append([]byte("\x93NUMPY"), version, 0)
	if version > 1 {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	}
	b := bytes.NewBuffer(append(out, header...))
	for _, v := range values {
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func TestReadNPY(t *testing.T) {
	for _, tt := range []struct {
		name  string
		data  []byte
		shape []int
		want  []float64
	}{
		{"float64", npy("<f8", false, "(2, 3)", []float64{1, -2, 3.5, math.Inf(1), 1e300, 6}), []int{2, 3}, []float64{1,
			-2, 3.5, math.Inf(1), 1e300, 6}},
		{"no rows", npy("<f8", false, "(0, 5)"), []int{0, 5}, nil},
		{"no rows of vast size", npy("<f8", false, "(9223372036854775807, 9223372036854775807, 0)"), []int{math.MaxInt,
			math.MaxInt, 0}, nil},
		// The matrix 1 2 3 / 4 5 6, column by column.
		{"Fortran order", npy("<f8", true, "(2, 3)", []float64{1, 4, 2, 5, 3, 6}), []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
		// Element (i, j, k) is 100i + 10j + k.
		{"Fortran order, three dimensions", npy("|u1", true, "(2, 2, 3)", []uint8{0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112}),
			[]int{2, 2, 3}, []float64{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112}},
		{"Fortran order of a vector", npy("|u1", true, "(3,)", []uint8{1, 2, 3}), []int{3}, []float64{1, 2, 3}},
		{"format 3, other order and quotes", npyWith(3, `{ "shape" : (1 , 1L), "fortran_order":False, "descr":"<f8"}`,
			4.0), []int{1, 1}, []float64{4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := expect.Must(ReadNPY(fstest.MapFS{"x.npy": {Data: tt.data}}, "x.npy"))(t)
			expect.That(t, slices.Equal(got.Shape, tt.shape) && slices.Equal(got.Data, tt.want),
				"shape %v and data %v, want %v and %v", got.Shape, got.Data, tt.shape, tt.want)
		})
	}
	got, err := ReadNPY(fstest.MapFS{"x.npy": {Data: npy("<f8", false, "(1,)", math.NaN())}}, "x.npy")
	expect.That(t, err == nil && math.IsNaN(got.Data[0]), "NaN came as %v, error %v", got, err)
}

func TestReadNPYErrors(t *testing.T) {
	whole := npy("<f8", false, "(2, 3)", []float64{1, 2, 3, 4, 5, 6})
	head := func(text string) []byte { return npyWith(1, text, 1.0) }
	for _, tt := range []struct {
		name string
		data []byte
		want []string
	}{
		{"empty", nil, []string{"not a .npy file"}},
		{"text", []byte("1,2,3,4,5"), []string{"not a .npy file"}},
		{"npz", []byte("PK\x03\x04\x14\x00\x00\x00"), []string{"not a .npy file", ".npz"}},
		{"format 4", append([]byte("\x93NUMPY\x04\x00"), whole[8:]...), []string{"format 4.0"}},
		{"cut before the length", whole[:9], []string{"cut short within its header"}},
		{"cut in the header", whole[:50], []string{"cut short within its header"}},
		{"a number short", whole[:len(whole)-8], []string{"168 bytes long", "[2 3] numbers of 8", "176 bytes"}},
		{"a byte long", append(bytes.Clone(whole), 0), []string{"177 bytes long"}},
		{"vast header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{"), []string{"header of 4294967295 bytes"}},
		{"vast shape", npy("<f8", false, "(3000000000, 3000000000)"), []string{"more than a file can hold"}},
		{"vaster shape", npy("<f8", false, "(4611686018427387904, 2)"), []string{"more than a file can hold"}},
		{"large shape", npy("<f8", false, "(100000, 100000)", 1.0), []string{"80000000128 bytes"}},
		{"no byte order", npy("|f8", false, "(1,)", 1.0), []string{`kind "|f8"`, "astype('<f4')"}},
		{"three bytes", npy("<i3", false, "(1,)", 1.0), []string{`kind "<i3"`, "astype('<f4')"}},
		{"no kind", npy("<", false, "(1,)", 1.0), []string{`kind "<"`, "np.save"}},
		{"longer kind", npy("<f88", false, "(1,)", 1.0), []string{`kind "<f88"`}},
		{"structured", head("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}"), []string{"structured array"}},
		{"too large to be exact", npy("<i8", false, "(2,)", []int64{0, 1<<53 + 1}), []string{"number 1 (byte 136)", "2⁵³"}},
		{"too small to be exact", npy("<i8", false, "(1,)", []int64{-1<<53 - 1}), []string{"number 0", "2⁵³"}},
		{"unsigned, too large", npy("<u8", false, "(1,)", []uint64{1 << 63}), []string{"number 0", "2⁵³"}},
		{"no truth value", npy("|b1", false, "(2,)", []uint8{1, 2}), []string{"number 1 (byte 129)", "neither 0 nor 1"}},
		{"not a dictionary", head("[1]"), []string{"not a dictionary"}},
		{"unknown key", head("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}"), []string{`unknown key "x"`}},
		{"key twice", head("{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}"), []string{"descr stands there twice"}},
		{"key missing", head("{'descr': '<f8', 'shape': (1,)}"), []string{"lacks one"}},
		{"no order", head("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}"), []string{"value of fortran_order"}},
		{"negative length", head("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"), []string{"value of shape"}},
		{"length of 20 digits", head("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
			[]string{"value of shape"}},
		{"no tuple", head("{'descr': '<f8', 'fortran_order': False, 'shape': 1}"), []string{"value of shape"}},
		{"open tuple", head("{'descr': '<f8', 'fortran_order': False, 'shape': (1"), []string{"value of shape"}},
		{"no colon", head("{'descr' '<f8'}"), []string{"no key and colon"}},
		{"no comma", head("{'descr': '<f8' 'shape': (1,)}"), []string{"no comma"}},
		{"goes on", head("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x"), []string{"goes on with"}},
		{"open text", head("{'descr"), []string{"no key and colon"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got *Array
			var err error
			taken := damage.Allocated(func() { got, err = ReadNPY(fstest.MapFS{"x.npy": {Data: tt.data}}, "x.npy") })
			expect.Error(t, err, append(tt.want, "tabular: x.npy: ")...)
			expect.That(t, got == nil, "an array in spite of the error")
			expect.That(t, taken <= 1<<20, "%d bytes taken for a file of %d", taken, len(tt.data))
		})
	}
	expect.Is(t, expect.Err(ReadNPY(fstest.MapFS{}, "x.npy")), fs.ErrNotExist, "missing file")
	expect.Is(t, expect.Err(ReadNPY(fstest.MapFS{"x.npy": {Data: whole[:50]}}, "x.npy")),
		io.ErrUnexpectedEOF, "cut short")
}

func TestLoadNPY(t *testing.T) {
	fsys := fstest.MapFS{
		"x.npy":     {Data: npy("<f4", true, "(3, 2)", []float32{1, 3, 5, 2, 4, 6})},
		"y.npy":     {Data: npy("<i8", false, "(3,)", []int64{2, 0, 2})},
		"y2.npy":    {Data: npy("|u1", false, "(3, 1)", []uint8{1, 0, 1})},
		"short.npy": {Data: npy("|u1", false, "(2,)", []uint8{1, 0})},
		"half.npy":  {Data: npy("<f8", false, "(3,)", []float64{0, 0.5, 1})},
		"minus.npy": {Data: npy("|i1", false, "(3,)", []int8{0, -1, 1})},
		"vast.npy":  {Data: npy("<f8", false, "(3,)", []float64{0, 1, 1 << 54})},
		"nan.npy":   {Data: npy("<f8", false, "(3,)", []float64{0, math.NaN(), 1})},
		"hole.npy":  {Data: npy("<f8", false, "(2, 2)", []float64{0, 1, 2, math.NaN()})},
		"none.npy":  {Data: npy("<f8", false, "(0, 2)")},
		"flat.npy":  {Data: npy("<f8", false, "(2,)", []float64{1, 2})},
	}
	got, err := LoadNPY(fsys, "x.npy", "y.npy", nil)
	expect.NoError(t, err)
	expect.Equal(t, got.Features.RawMatrix().Data, []float64{1, 2, 3, 4, 5, 6}, "features")
	expect.That(t, slices.Equal(got.Labels, []int{1, 0, 1}) && slices.Equal(got.Classes, []string{"0", "2"}),
		"labels %v of %q", got.Labels, got.Classes)
	got, err = LoadNPY(fsys, "x.npy", "y2.npy", []string{"no", "yes"})
	expect.That(t, err == nil && got.Classes[got.Labels[0]] == "yes", "%v, error %v", got, err)
	got, err = LoadNPY(fsys, "x.npy", "", nil)
	expect.That(t, err == nil && got.Labels == nil && got.Classes == nil, "%v, error %v", got, err)
	for _, tt := range []struct {
		x, y    string
		classes []string
		want    []string
	}{
		{"x.npy", "short.npy", nil, []string{"short.npy has the shape [2]", "x.npy has 3 rows"}},
		{"x.npy", "half.npy", nil, []string{"half.npy, row 1", "class is 0.5"}},
		{"x.npy", "minus.npy", []string{"a", "b"}, []string{"minus.npy, row 1", "class is -1"}},
		{"x.npy", "vast.npy", nil, []string{"vast.npy, row 2", "1.8014398509481984e+16", "whole number"}},
		{"x.npy", "nan.npy", nil, []string{"nan.npy, row 1", "NaN"}},
		{"x.npy", "y.npy", []string{"a", "b"}, []string{"y.npy, row 0", "class is 2", "0, 1"}},
		{"hole.npy", "", nil, []string{"hole.npy, row 1, column 1", "NaN"}},
		{"none.npy", "", nil, []string{"none.npy", "nothing in it"}},
		{"flat.npy", "", nil, []string{"flat.npy has the shape [2]", "reshape"}},
		{"gone.npy", "", nil, []string{"gone.npy"}},
	} {
		expect.Error(t, expect.Err(LoadNPY(fsys, tt.x, tt.y, tt.classes)), append(tt.want, "tabular: ")...)
	}
}

// checkNPY reads a possibly damaged file: an accepted one has as many numbers as its shape and its bytes imply.
func checkNPY(t *testing.T, data []byte) {
	var got *Array
	var err error
	taken := damage.Allocated(func() { got, err = ReadNPY(fstest.MapFS{"x.npy": {Data: data}}, "x.npy") })
	limit := uint64(1<<20 + 20*len(data))
	expect.That(t, taken <= limit, "%d bytes taken for a file of %d", taken, len(data))
	if err != nil {
		return
	}
	count := 1
	for _, n := range got.Shape {
		if n == 0 {
			count = 0
			break
		}
		count *= n
	}
	expect.That(t, len(got.Data) == count && count <= len(data),
		"%d numbers of shape %v in a file of %d bytes", len(got.Data), got.Shape, len(data))
	again := expect.Must(ReadNPY(mapFS("x.npy", npy("<f8", false, shapeText(got.Shape), got.Data)), "x.npy"))(t)
	expect.Equal(t, fmt.Sprint(again), fmt.Sprint(got), "written and read again")
}

// mapFS returns a file system of names and the content of their files in turn.
func mapFS(files ...any) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i].(string)] = &fstest.MapFile{Data: files[i+1].([]byte)}
	}
	return fsys
}

var npySeeds = [][]byte{
	npy("<f8", false, "(2, 3)", []float64{1, 2, 3, 4, 5, 6}), npy("|u1", true, "(2, 2, 3)", make([]uint8, 12)),
	npy("|b1", false, "(3,)", []bool{true, false, true}),
	npyWith(2, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }", int64(4)),
}

func FuzzReadNPY(f *testing.F) {
	for _, data := range npySeeds {
		f.Add(data)
	}
	f.Fuzz(checkNPY)
}

func TestDamagedNPY(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 93))
	for _, data := range npySeeds {
		for range 300 {
			checkNPY(t, damage.One(rng, data))
		}
	}
}
