package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
)

// raw makes the bytes of a file from a header as written and the data.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// A file written out by hand: 1 and −2 in each of the four number types.
func TestDecodeHandMadeBytes(t *testing.T) {
	header := `{"__metadata__":{"format":"pt"},` +
		`"d":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},` +
		`"f":{"dtype":"F32","shape":[2,1],"data_offsets":[16,24]},` +
		`"h":{"dtype":"F16","shape":[1,2],"data_offsets":[24,28]},` +
		`"b":{"dtype":"BF16","shape":[2],"data_offsets":[28,32]},` +
		`"s":{"dtype":"I64","shape":[],"data_offsets":[32,40]},` +
		`"none":{"dtype":"F32","shape":[0,3],"data_offsets":[40,40]}}   `
	data := []byte{
		0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0,
		0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0,
		0, 0x3c, 0, 0xc0,
		0x80, 0x3f, 0, 0xc0,
		7, 0, 0, 0, 0, 0, 0, 0,
	}
	f, err := Decode(raw(header, data...))
	if err != nil {
		t.Fatal(err)
	}
	for name, shape := range map[string][]int{"d": {2}, "f": {2, 1}, "h": {1, 2}, "b": {2}} {
		values, err := f.Tensors[name].Float64s()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(values, []float64{1, -2}) || !reflect.DeepEqual(f.Tensors[name].Shape, shape) {
			t.Errorf("%s: %v %v, want %v [1 -2]", name, f.Tensors[name].Shape, values, shape)
		}
	}
	if got := f.Tensors["s"]; got.DType != I64 || len(got.Shape) != 0 || got.Data[0] != 7 {
		t.Errorf("the single number came as %+v", got)
	}
	refusal.Check(t, refusal.Err(f.Tensors["s"].Float64s()), `"I64" … convert the tensor`)
	if got := f.Tensors["none"]; len(got.Data) != 0 {
		t.Errorf("the empty tensor has %d bytes", len(got.Data))
	}
	if f.Metadata["format"] != "pt" || len(f.Tensors) != 6 {
		t.Errorf("metadata %v, %d tensors", f.Metadata, len(f.Tensors))
	}
}

// The bytes that Write makes are what the format's description asks for, to the last.
func TestWriteExactBytes(t *testing.T) {
	one, err := New(F32, []int{1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	half, err := New(F16, nil, []float64{-2})
	if err != nil {
		t.Fatal(err)
	}
	f := File{Tensors: map[string]Tensor{"a": half, "b": one}, Metadata: map[string]string{"k": "v"}}
	var got bytes.Buffer
	if err := f.Write(&got); err != nil {
		t.Fatal(err)
	}
	header := `{"__metadata__":{"k":"v"},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},` +
		`"a":{"dtype":"F16","shape":[],"data_offsets":[4,6]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	if want := raw(header, 0, 0, 0x80, 0x3f, 0, 0xc0); !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got  %q\nwant %q", got.Bytes(), want)
	}
}

func TestRefusals(t *testing.T) {
	const f32 = `"dtype":"F32","shape":[1],"data_offsets":`
	four := []byte{0, 0, 0, 0}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"empty":                 {nil, "too few … download the file again"},
		"seven bytes":           {make([]byte, 7), "too few … download the file again"},
		"huge header":           {binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "over the limit … download the file again"},
		"header over the limit": {binary.LittleEndian.AppendUint64(nil, maxHeader+1), "over the limit … download the file again"},
		"header cut short":      {raw(`{}`)[:9], "cut short … download the file again"},
		"no header":             {raw(``), "does not begin with { … download the file again"},
		"an array":              {raw(`[]`), "does not begin with { … download the file again"},
		"a blank first":         {raw(` {}`), "does not begin with { … download the file again"},
		"not closed":            {raw(`{`), "ends before its closing } … download the file again"},
		"two objects":           {raw(`{}{}`), "follows … download the file again"},
		"not UTF-8":             {raw("{\"\xff\":{" + f32 + "[0,4]}}"), "UTF-8 … download the file again"},
		"twice":                 {raw(`{"a":{`+f32+`[0,4]},"a":{`+f32+`[0,4]}}`, four...), "twice … download the file again"},
		"no offsets":            {raw(`{"a":{"dtype":"F32","shape":[1]}}`, four...), "data_offsets … download the file again"},
		"no shape":              {raw(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, four...), "shape … download the file again"},
		"three offsets":         {raw(`{"a":{`+f32+`[0,4,4]}}`, four...), "two data_offsets … download the file again"},
		"backwards":             {raw(`{"a":{`+f32+`[4,0]}}`, four...), "from byte 4 to 0 … download the file again"},
		"negative offset":       {raw(`{"a":{`+f32+`[-4,0]}}`, four...), "tensor \"a\" … download the file again"},
		"fractions":             {raw(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, four...), "tensor \"a\" … download the file again"},
		"too little data":       {raw(`{"a":{`+f32+`[0,4]}}`, 0, 0, 0), "cut short … download the file again"},
		"too much data":         {raw(`{"a":{`+f32+`[0,4]}}`, 0, 0, 0, 0, 0), "fill 4 bytes … download the file again"},
		"no tensor, data":       {raw(`{}`, 1), "fill 0 bytes … download the file again"},
		"wrong length":          {raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, four...), "takes 8 bytes … download the file again"},
		"unknown type":          {raw(`{"a":{"dtype":"F8","shape":[1],"data_offsets":[0,1]}}`, 0), `"F8" … download the file again`},
		"negative side":         {raw(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, four...), "negative … download the file again"},
		"two negative sides":    {raw(`{"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`, four...), "negative … download the file again"},
		"sides that overflow":   {raw(`{"a":{"dtype":"F32","shape":[4611686018427387905,4],"data_offsets":[0,4]}}`, four...), "memory … download the file again"},
		"overflow to the right": {raw(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`), "memory … download the file again"},
		"overlap":               {raw(`{"a":{`+f32+`[0,4]},"b":{`+f32+`[2,6]}}`, 0, 0, 0, 0, 0, 0), "hole or an overlap … download the file again"},
		"same place":            {raw(`{"a":{`+f32+`[0,4]},"b":{`+f32+`[0,4]}}`, four...), "hole or an overlap … download the file again"},
		"hole":                  {raw(`{"a":{`+f32+`[4,8]}}`, 0, 0, 0, 0, 0, 0, 0, 0), "hole or an overlap … download the file again"},
		"null in the shape":     {raw(`{"a":{"dtype":"F32","shape":[null],"data_offsets":[0,0]}}`), `tensor "a" … download the file again`},
		"null in the offsets":   {raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[null,4]}}`, four...), `tensor "a" … download the file again`},
		"null for a shape":      {raw(`{"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}}`, four...), `tensor "a": it needs a dtype … download the file again`},
		"null for a tensor":     {raw(`{"a":null}`), `tensor "a": null stands where { should … download the file again`},
		"field twice":           {raw(`{"a":{"dtype":"F64",`+f32+`[0,4]}}`, four...), `tensor "a": "dtype" stands there twice … download the file again`},
		"field of other case":   {raw(`{"a":{"DTYPE":"F32","shape":[1],"data_offsets":[0,4]}}`, four...), `tensor "a" … download the file again`},
		"note twice":            {raw(`{"__metadata__":{"k":"v","k":"w"}}`), `__metadata__: "k" stands there twice … download the file again`},
		"note of null":          {raw(`{"__metadata__":{"k":null}}`), `__metadata__: "k" is null … download the file again`},
		"metadata a list":       {raw(`{"__metadata__":["k"]}`), "__metadata__ … download the file again"},
		"metadata not strings":  {raw(`{"__metadata__":{"a":1}}`), "__metadata__ … download the file again"},
	} {
		f, err := Decode(tt.data)
		if f != nil {
			t.Errorf("%s: %v came back", name, f)
		}
		refusal.Check(t, err, tt.want)
	}
	for says, f := range map[string]File{
		"F32 [2] takes 8 bytes, not 4 … give a DType, a Shape and Data": {Tensors: map[string]Tensor{"a": {F32, []int{2}, four}}},
		"type \"X\" … give a DType":                                     {Tensors: map[string]Tensor{"a": {"X", nil, nil}}},
		"\"\\xff\" cannot name a tensor … in UTF-8":                     {Tensors: map[string]Tensor{"\xff": {F32, []int{1}, four}}},
		"the note \"\\xff\": \"v\" is not valid … encode":               {Metadata: map[string]string{"\xff": "v"}},
		"the note \"k\": \"a\\xff\" is not valid … encode":              {Metadata: map[string]string{"k": "a\xff"}},
		"\"__metadata__\" cannot name a tensor … other than":            {Tensors: map[string]Tensor{metadataKey: {F32, []int{1}, four}}},
	} {
		var b bytes.Buffer
		refusal.Check(t, f.Write(&b), says)
		if b.Len() > 0 {
			t.Errorf("%s: wrote %d bytes", says, b.Len())
		}
	}
	refusal.Check(t, refusal.Err(New(I64, []int{1}, []float64{1})), `"I64" … convert the tensor`)
	refusal.Check(t, refusal.Err(New(F32, []int{3}, []float64{1})), "takes 12 bytes, not 4 … as many numbers as the shape has")
}

// Every one of the 65536 numbers of both short types comes back as itself, and between neighbors the nearest is taken, the
// even one where both are as near.
func TestShortTypesRoundToNearest(t *testing.T) {
	for _, dtype := range []DType{F16, BF16} {
		all := make([]byte, 0, 1<<17)
		for i := range 1 << 16 {
			all = binary.LittleEndian.AppendUint16(all, uint16(i))
		}
		values, err := Tensor{dtype, []int{1 << 16}, all}.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		one := func(v float64) uint16 {
			n, err := New(dtype, nil, []float64{v})
			if err != nil {
				t.Fatal(err)
			}
			return binary.LittleEndian.Uint16(n.Data)
		}
		for i, v := range values {
			got := one(v)
			if math.IsNaN(v) {
				if back := values[got]; !math.IsNaN(back) {
					t.Fatalf("%s: NaN %#x became %g", dtype, i, back)
				}
				continue
			}
			if got != uint16(i) {
				t.Fatalf("%s: %g is %#x, came back as %#x", dtype, v, i, got)
			}
			if math.IsInf(v, 0) || math.IsInf(values[i+1], 0) {
				continue
			}
			middle, even := (v+values[i+1])/2, i+i%2
			if got := one(middle); int(got) != even {
				t.Fatalf("%s: %g, halfway between %#x and %#x, became %#x", dtype, middle, i, i+1, got)
			}
			// For negative numbers the next pattern is the next smaller number; magnitudes grow either way.
			if got := one(math.Nextafter(middle, v)); int(got) != i {
				t.Fatalf("%s: just below the middle of %#x became %#x", dtype, i, got)
			}
		}
	}
	largest := map[DType]float64{F16: 65504, BF16: 0x1.fep127}
	step := map[DType]float64{F16: 32, BF16: 0x1p120}
	for dtype, v := range largest {
		for _, tt := range []struct {
			in   float64
			want float64
		}{{v + step[dtype]/2*0.99, v}, {v + step[dtype]/2, math.Inf(1)}, {-1e300, math.Inf(-1)}, {5e-324, 0}} {
			n, err := New(dtype, nil, []float64{tt.in})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := n.Float64s(); err != nil || got[0] != tt.want {
				t.Errorf("%s: %g became %v, want %g (%v)", dtype, tt.in, got, tt.want, err)
			}
		}
	}
}

func TestWriteFileWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.safetensors")
	good, err := New(F64, []int{2}, []float64{1, math.Pi})
	if err != nil {
		t.Fatal(err)
	}
	f := File{Tensors: map[string]Tensor{"w": good}}
	if err := f.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	bad := File{Tensors: map[string]Tensor{"w": {F64, []int{3}, good.Data}}}
	if err := bad.WriteFile(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken tensor gave %v", err)
	}
	back, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Tensors["w"], good) {
		t.Errorf("read %+v, want %+v", back.Tensors["w"], good)
	}
	if info, err := os.Stat(path); err != nil {
		t.Error(err)
	} else if mode := info.Mode().Perm(); mode != 0o644 && runtime.GOOS != "windows" {
		t.Errorf("the file has mode %v, which does not let everybody read it", mode)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{filepath.Join(dir, "no", "w.safetensors"), filepath.Join(dir, "folder")} {
		if err := f.WriteFile(bad); err == nil || !strings.Contains(err.Error(), bad+": ") || strings.Contains(err.Error(), ".part") {
			t.Errorf("writing %s gave %v", bad, err)
		}
	}
	if err := f.WriteFile(filepath.Join(dir, "no", "w.safetensors")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := ReadFile(filepath.Join(dir, "other")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	cut := filepath.Join(dir, "cut.safetensors")
	if err := os.WriteFile(cut, []byte{1}, 0o644); err != nil {
		t.Fatal(err)
	}
	refusal.Check(t, refusal.Err(ReadFile(cut)), "safetensors: "+cut+": 1 bytes are too few … download the file again")
	if _, err := ReadFile(dir); err == nil {
		t.Error("a folder was read")
	}
}

// Whatever the bytes, Decode returns an error or tensors that are whole, disjoint and fill the data, which Write brings back.
func FuzzDecode(f *testing.F) {
	f.Add(raw(`{}`))
	f.Add(raw(`{"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"BF16","shape":[2,1],`+
		`"data_offsets":[4,8]}}  `, 1, 2, 3, 4, 5, 6, 7, 8))
	f.Add(raw(`{"a":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}`))
	f.Add(raw(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,18446744073709551615]}}`))
	f.Add(raw(`{"a":{"dtype":"F32","shape":[null],"data_offsets":[0,0],"dtype":"F64"},"__metadata__":{"k":"v","k":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Decode(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "safetensors: ") || file != nil {
				t.Fatalf("%v with %v", err, file)
			}
			return
		}
		total := 0
		for name, x := range file.Tensors {
			if err := x.check(); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			total += len(x.Data)
		}
		if want := len(data) - 8 - int(binary.LittleEndian.Uint64(data)); total != want {
			t.Fatalf("tensors hold %d bytes of %d", total, want)
		}
		var b bytes.Buffer
		if err := file.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(again) != fmt.Sprint(file) {
			t.Fatalf("%v came back as %v", file, again)
		}
	})
}

// A file by the format's own library (testdata/make_reference.py).
func TestReadsTheReferenceLibrarysFile(t *testing.T) {
	f, err := ReadFile("testdata/reference.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		shape  []int
		values []float64
	}{
		"half":               {[]int{1, 3}, []float64{1, -2, 65504}},
		"single":             {[]int{2}, []float64{float64(float32(0.1)), float64(float32(-0.2))}},
		"double":             {[]int{}, []float64{math.Pi}},
		"ünder/score.weight": {[]int{0, 2}, []float64{}},
	} {
		x := f.Tensors[name]
		values, err := x.Float64s()
		if err != nil || !reflect.DeepEqual(values, want.values) || !reflect.DeepEqual(x.Shape, want.shape) {
			t.Errorf("%s: %v %v, want %v %v (%v)", name, x.Shape, values, want.shape, want.values, err)
		}
	}
	if x := f.Tensors["whole"]; x.DType != I64 || len(x.Data) != 16 || x.Data[8] != 0xff {
		t.Errorf("whole: %+v", x)
	}
	if x := f.Tensors["flags"]; x.DType != Bool || !bytes.Equal(x.Data, []byte{1, 0, 1}) {
		t.Errorf("flags: %+v", x)
	}
	if len(f.Tensors) != 6 || f.Metadata["made by"] != `the "reference"` {
		t.Errorf("%d tensors, notes %v", len(f.Tensors), f.Metadata)
	}
}
