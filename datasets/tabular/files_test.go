package tabular

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/expect"
)

// otherTools returns the content that NumPy and pandas wrote into the files of testdata: testdata/make_files.py.
func otherTools(t *testing.T) (want struct {
	Arrays map[string]struct {
		Shape  []int
		Values []string
	}
	Refused []string
	Frame   map[string][]string
	Order   []int // of the rows in pandas-shuffled.csv
}) {
	expect.NoError(t, json.Unmarshal(expect.Must(os.ReadFile("testdata/files.json"))(t), &want))
	return want
}

// Arrays of every number type, byte order, index order and version of the format.
func TestFilesOfNumPy(t *testing.T) {
	want := otherTools(t)
	found := 0
	for _, file := range []string{"numpy-stored.npz", "numpy-deflated.npz", "numpy-versions.npz"} {
		arrays := expect.Must(OpenNPZ(os.DirFS("testdata"), file))(t)
		for name, array := range want.Arrays {
			if strings.HasPrefix(name, "version") != (file == "numpy-versions.npz") {
				continue
			}
			found++
			got := expect.Must(ReadNPY(arrays, name+".npy"))(t)
			expect.That(t, slices.Equal(got.Shape, array.Shape), "%s, %s: shape %v, not %v", file, name, got.Shape,
				array.Shape)
			expect.Require(t, len(got.Data) == len(array.Values), "%s, %s: %d numbers", file, name, len(got.Data))
			for i, text := range array.Values {
				value := map[string]float64{"True": 1, "False": 0}[text]
				if text != "True" && text != "False" {
					value = expect.Must(strconv.ParseFloat(text, 64))(t)
				}
				expect.That(t, got.Data[i] == value, "%s, %s: number %d is %v, not %s", file, name, i, got.Data[i],
					text)
			}
		}
	}
	expect.Equal(t, found, 2*len(want.Arrays)-3)
	arrays := expect.Must(OpenNPZ(os.DirFS("testdata"), "numpy-stored.npz"))(t)
	for name, remedy := range map[string]string{"complex": "array.real", "text": "np.unique", "bytes": "np.unique",
		"objects": "np.unique",
		"dates":   "datetime64", "durations": "timedelta64", "longdouble": "64 bits",
		"structured": "one column at a time",
		"raw":        "raw bytes", "identifiers": "identifier"} {
		expect.That(t, slices.Contains(want.Refused, name), "there is no array %s", name)
		expect.Error(t, expect.Err(ReadNPY(arrays, name+".npy")), "tabular: "+name+".npy", remedy)
	}
	expect.Error(t, expect.Err(ReadNPY(os.DirFS("testdata"), "numpy-stored.npz")), "OpenNPZ")
	expect.Error(t, expect.Err(OpenNPZ(os.DirFS("testdata"), "frame.json")), "tabular: frame.json: not a .npz file")
	expect.Error(t, expect.Err(OpenNPZ(os.DirFS("testdata"), "none.npz")), "none.npz")
	// An array that claims to be longer than deflate allows is rejected without allocation.
	data := expect.Must(os.ReadFile("testdata/numpy-versions.npz"))(t)
	binary.LittleEndian.PutUint32(data[bytes.Index(data, []byte("PK\x01\x02"))+24:], 1<<31)
	expect.Error(t, expect.Err(OpenNPZ(mapFS("x.npz", data), "x.npz")), "version1.npy", "2147483648", "damaged")
}

// A half has 16 bits, so all values are compared with their definition.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		sign, exponent, fraction := 1-2*float64(bits>>15), bits>>10&31, float64(bits&1023)
		want := sign * (1024 + fraction) * math.Pow(2, float64(exponent)-25)
		if exponent == 0 {
			want = sign * fraction * math.Pow(2, -24)
		}
		got := half(uint16(bits))
		if exponent == 31 {
			expect.That(t, math.IsNaN(got) == (fraction > 0) && (fraction > 0 || math.IsInf(got, int(sign))),
				"%#x is %v", bits, got)
		} else if got != want || math.Signbit(got) != (sign < 0) {
			t.Fatalf("%#x is %v, not %v", bits, got, want)
		}
	}
}

// One table in the formats that pandas writes.
func TestFilesOfPandas(t *testing.T) {
	want := otherTools(t)
	var columns []string
	for _, name := range []string{"age", "dose", "größe", "city", "smoker"} {
		column := "words " + fmt.Sprintf("%q", want.Frame[name])
		if name != "city" && name != "smoker" {
			column = "numbers"
			for _, text := range want.Frame[name] {
				v := math.NaN()
				if text != "" {
					v = expect.Must(strconv.ParseFloat(text, 64))(t)
				}
				column += fmt.Sprint(" ", v)
			}
		}
		columns = append(columns, column)
	}
	read := func(name string, cfg FrameConfig) (*Frame, []string, error) {
		file := expect.Must(os.Open("testdata/pandas-" + name + ".csv"))(t)
		defer file.Close()
		f, labels, _, err := ReadFrame(file, cfg)
		return f, labels, err
	}
	for name, cfg := range map[string]FrameConfig{
		"plain": {}, "index": {Skip: []string{""}}, "named-index": {Skip: []string{"id"}}, "semicolon": {Comma: ';'},
		"tab":    {Comma: '\t'},
		"quoted": {}, "gaps": {}, "crlf": {}, "mark": {}, "utf16": {}, "digits": {}, "headless": {NoHeader: true,
			Label: "6"},
		"shuffled": {Skip: []string{""}},
	} {
		if cfg.Label == "" {
			cfg.Label = "y"
		}
		f, labels, err := read(name, cfg)
		expect.Require(t, err == nil && len(f.Columns) == len(columns), "%s: %v, error %v", name, f, err)
		if name == "shuffled" {
			back := make([]int, f.Len())
			for i, row := range want.Order {
				back[row] = i
			}
			f, labels = expect.Must(f.Select(back))(t), pick(labels, back)
		}
		for j, c := range f.Columns {
			got := "words " + fmt.Sprintf("%q", c.Words)
			if c.Words == nil {
				got = "numbers " + strings.Trim(fmt.Sprint(c.Numbers), "[]")
			}
			expect.Equal(t, got, columns[j], name, c.Name)
		}
		for i, label := range labels {
			expect.That(t,
				label+".0" == want.Frame["y"][i] || label == want.Frame["y"][i] || label == "<NA>" && name == "gaps",
				"%s: label %d is %q", name, i, label)
		}
	}
	for name, parts := range map[string][]string{
		"index": {"column 1 has no name", "Skip"}, "shuffled": {"column 1 has no name"},
		"named-index": {"column 1 (id) numbers the rows"},
		"semicolon":   {"looks like ';'"}, "latin": {"line 1, byte 12", "UTF-8"},
	} {
		_, _, err := read(name, FrameConfig{})
		expect.Error(t, err, parts...)
	}
	_, _, err := read("decimal-comma", FrameConfig{Comma: ';', Label: "y"})
	expect.Error(t, err, `column dose, line 2: "0,1"`, "decimal point")
}

// The same numbers give the same table from every format and number type, for any order of the rows.
func TestTablesAreTheSameFromEveryFormat(t *testing.T) {
	classes := []float64{10, 2, 2, -1, 10, 2}
	x := []float64{5, 1, 4, 0, 3, 2, 6, 1, 2, 2, 1, 7}
	var text strings.Builder
	for i, y := range classes {
		fmt.Fprintf(&text, "%.1f,%v,%v\n", y, x[2*i], x[2*i+1])
	}
	want := expect.Must(ReadCSV(strings.NewReader(text.String()), CSV{NoHeader: true, Label: "1"}))(t)
	expect.Equal(t, want.Classes, []string{"-1", "2", "10"})
	whole := make([]int16, len(classes))
	for i, v := range classes {
		whole[i] = int16(v)
	}
	small := make([]uint8, len(x))
	for i, v := range x {
		small[i] = uint8(v)
	}
	files := mapFS("x.npy", npy("<f8", false, "(6, 2)", x), "x8.npy", npy("|u1", false, "(6, 2)", small),
		"y.npy", npy("<f8", false, "(6,)", classes), "y16.npy", npy("<i2", false, "(6,)", whole))
	for _, features := range []string{"x.npy", "x8.npy"} {
		for _, labels := range []string{"y.npy", "y16.npy"} {
			for _, names := range [][]string{nil, want.Classes} {
				expect.Equal(t, expect.Must(LoadNPY(files, features, labels, names))(t), want)
			}
		}
	}
	// A part without some of the classes keeps the numbering of the whole, if given its names.
	part := mapFS("x.npy", npy("<f8", false, "(1, 2)", []float64{5, 1}), "y.npy", npy("|i1", false, "(1,)", []int8{10}))
	expect.Equal(t, expect.Must(LoadNPY(part, "x.npy", "y.npy", want.Classes))(t).Labels, []int{2})
	index := make([]float64, 20)
	for k := range 10 {
		index[2*k], index[2*k+1] = float64(k%3), float64(k)
	}
	expect.Error(t, expect.Err(LoadNPY(mapFS("x.npy", npy("<f8", false, "(10, 2)", index)), "x.npy", "", nil)),
		"x.npy, column 1 numbers the rows from 0 to 9", "np.delete(array, 1, axis=1)", "ReadNPY")
}

// A damaged .npz file gives an error or arrays, within the memory that its bytes can hold.
func FuzzOpenNPZ(f *testing.F) {
	for _, name := range []string{"numpy-versions.npz", "numpy-deflated.npz"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files := mapFS("x.npz", data)
		arrays, err := OpenNPZ(files, "x.npz")
		for _, name := range []string{"version1.npy", "f2_big.npy", "u8_little_fortran.npy"} {
			if err != nil {
				return
			}
			var got *Array
			var err error
			taken := damage.Allocated(func() { got, err = ReadNPY(arrays, name) })
			expect.That(t, taken <= uint64(1<<20+9*1032*len(data)), "%d bytes taken for a file of %d", taken, len(data))
			if err != nil {
				continue
			}
			// The arrays are read back unchanged.
			values := npy("<f8", false, shapeText(got.Shape), got.Data)
			again := expect.Must(ReadNPY(mapFS("x.npy", values), "x.npy"))(t)
			expect.Equal(t, fmt.Sprint(again), fmt.Sprint(got))
		}
	})
}

// shapeText returns a shape in Python's notation.
func shapeText(shape []int) string {
	text := "("
	for _, n := range shape {
		text += fmt.Sprint(n, ",")
	}
	return text + ")"
}
