package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// raw returns the bytes of a file with the given header and data.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// A hand-written file: 1 and −2 in each of the four number types.
func TestDecodeHandMadeBytes(t *testing.T) {
	header := `{"__metadata__":{"format":"pt"},` + `"d":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},` +
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
	f := expect.Must(Decode(raw(header, data...)))(t)
	for name, shape := range map[string][]int{"d": {2}, "f": {2, 1}, "h": {1, 2}, "b": {2}} {
		values := expect.Must(f.Tensors[name].Float64s())(t)
		expect.That(t, reflect.DeepEqual(values, []float64{1, -2}) && reflect.DeepEqual(f.Tensors[name].Shape, shape),
			"%s: %v %v, want %v [1 -2]", name, f.Tensors[name].Shape, values, shape)
	}
	if got := f.Tensors["s"]; got.DType != I64 || len(got.Shape) != 0 || got.Data[0] != 7 {
		t.Errorf("the single number came as %+v", got)
	}
	refusal.Check(t, refusal.Err(f.Tensors["s"].Float64s()), `"I64" … convert the tensor`)
	if got := f.Tensors["none"]; len(got.Data) != 0 {
		t.Errorf("the empty tensor has %d bytes", len(got.Data))
	}
	expect.That(t, f.Metadata["format"] == "pt" && len(f.Tensors) == 6,
		"metadata %v, %d tensors", f.Metadata, len(f.Tensors))
}

// The bytes of Write equal those required by the format's description.
func TestWriteExactBytes(t *testing.T) {
	one := expect.Must(New(F32, []int{1}, []float64{1}))(t)
	half := expect.Must(New(F16, nil, []float64{-2}))(t)
	f := File{Tensors: map[string]Tensor{"a": half, "b": one}, Metadata: map[string]string{"k": "v"}}
	var got bytes.Buffer
	expect.NoError(t, f.Write(&got))
	header := `{"__metadata__":{"k":"v"},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},` +
		`"a":{"dtype":"F16","shape":[],"data_offsets":[4,6]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := raw(header, 0, 0, 0x80, 0x3f, 0, 0xc0)
	expect.That(t, bytes.Equal(got.Bytes(), want), "got %q\nwant %q", got.Bytes(), want)
}

func TestRefusals(t *testing.T) {
	const f32 = `"dtype":"F32","shape":[1],"data_offsets":`
	four := []byte{0, 0, 0, 0}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"empty":       {nil, "too few … download the file again"},
		"seven bytes": {make([]byte, 7), "too few … download the file again"},
		"torch.save": {[]byte("PK\x03\x04\x00\x00\x08\x08\x00\x00"),
			"torch.save … save the weights by safetensors.torch.save_file"},
		"old torch.save":        {[]byte("\x80\x02\x8a\nl\xfc\x9cF\xf9 j"), "torch.save … save the weights"},
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
		expect.That(t, f == nil, "%s: %v came back", name, f)
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
		expect.That(t, b.Len() == 0, "%s: wrote %d bytes", says, b.Len())
	}
	refusal.Check(t, refusal.Err(New(I64, []int{1}, []float64{1})), `"I64" … convert the tensor`)
	refusal.Check(t, refusal.Err(New(F32, []int{3}, []float64{1})), "takes 12 bytes, not 4 … as many numbers as the shape has")
}

// Every one of the 65536 numbers of both 16-bit types is decoded and encoded to itself. Values between neighbors round
// to nearest, ties to even.
func TestShortTypesRoundToNearest(t *testing.T) {
	for _, dtype := range []DType{F16, BF16} {
		all := make([]byte, 0, 1<<17)
		for i := range 1 << 16 {
			all = binary.LittleEndian.AppendUint16(all, uint16(i))
		}
		values := expect.Must(Tensor{dtype, []int{1 << 16}, all}.Float64s())(t)
		one := func(v float64) uint16 {
			n := expect.Must(New(dtype, nil, []float64{v}))(t)
			return binary.LittleEndian.Uint16(n.Data)
		}
		for i, v := range values {
			got := one(v)
			if math.IsNaN(v) {
				back := values[got]
				expect.Require(t, math.IsNaN(back), "%s: NaN %#x became %g", dtype, i, back)
				continue
			}
			expect.Require(t, got == uint16(i), "%s: %g is %#x, came back as %#x", dtype, v, i, got)
			if math.IsInf(v, 0) || math.IsInf(values[i+1], 0) {
				continue
			}
			middle, even := (v+values[i+1])/2, i+i%2
			if got := one(middle); int(got) != even {
				t.Fatalf("%s: %g, halfway between %#x and %#x, became %#x", dtype, middle, i, i+1, got)
			}
			// For negative numbers the next bit pattern is the next smaller number; magnitudes grow in both cases.
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
			n := expect.Must(New(dtype, nil, []float64{tt.in}))(t)
			if got, err := n.Float64s(); err != nil || got[0] != tt.want {
				t.Errorf("%s: %g became %v, want %g (%v)", dtype, tt.in, got, tt.want, err)
			}
		}
	}
}

func TestWriteFileWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.safetensors")
	good := expect.Must(New(F64, []int{2}, []float64{1, math.Pi}))(t)
	f := File{Tensors: map[string]Tensor{"w": good}}
	expect.NoError(t, f.WriteFile(path))
	bad := File{Tensors: map[string]Tensor{"w": {F64, []int{3}, good.Data}}}
	expect.Error(t, bad.WriteFile(path), path)
	back := expect.Must(ReadFile(path))(t)
	expect.That(t, reflect.DeepEqual(back.Tensors["w"], good), "read %+v, want %+v", back.Tensors["w"], good)
	if info, err := os.Stat(path); err != nil {
		t.Error(err)
	} else if mode := info.Mode().Perm(); mode != 0o644 && runtime.GOOS != "windows" {
		t.Errorf("the file has mode %v, which does not let everybody read it", mode)
	}
	expect.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	for _, bad := range []string{filepath.Join(dir, "no", "w.safetensors"), filepath.Join(dir, "folder")} {
		if err := f.WriteFile(bad); err == nil || !strings.Contains(err.Error(), bad+": ") || strings.Contains(err.Error(), ".part") {
			t.Errorf("writing %s gave %v", bad, err)
		}
	}
	expect.Is(t, f.WriteFile(filepath.Join(dir, "no", "w.safetensors")), os.ErrNotExist)
	expect.NoError(t, os.Remove(filepath.Join(dir, "folder")))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	expect.Is(t, expect.Err(ReadFile(filepath.Join(dir, "other"))), os.ErrNotExist)
	cut := filepath.Join(dir, "cut.safetensors")
	expect.NoError(t, os.WriteFile(cut, []byte{1}, 0o644))
	refusal.Check(t, refusal.Err(ReadFile(cut)), "safetensors: "+cut+": 1 bytes are too few … download the file again")
	expect.Error(t, expect.Err(ReadFile(dir)))
}

// For all bytes, Decode returns an error, or tensors that are complete, disjoint and cover the data; Write restores
// them.
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
			expect.Require(t, strings.HasPrefix(err.Error(), "safetensors: ") && file == nil, "%v with %v", err, file)
			return
		}
		total := 0
		for _, x := range file.Tensors {
			expect.NoError(t, x.check())
			total += len(x.Data)
		}
		want := len(data) - 8 - int(binary.LittleEndian.Uint64(data))
		expect.Require(t, total == want, "tensors hold %d bytes of %d", total, want)
		var b bytes.Buffer
		expect.NoError(t, file.Write(&b))
		again := expect.Must(Decode(b.Bytes()))(t)
		expect.Require(t, fmt.Sprint(again) == fmt.Sprint(file), "%v came back as %v", file, again)
	})
}

// A file written by the format's own library (testdata/make_reference.py).
func TestReadsTheReferenceLibrarysFile(t *testing.T) {
	f := expect.Must(ReadFile("testdata/reference.safetensors"))(t)
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
		expect.That(t, err == nil && reflect.DeepEqual(values, want.values) && reflect.DeepEqual(x.Shape, want.shape),
			"%s: %v %v, want %v %v (%v)", name, x.Shape, values, want.shape, want.values, err)
	}
	if x := f.Tensors["whole"]; x.DType != I64 || len(x.Data) != 16 || x.Data[8] != 0xff {
		t.Errorf("whole: %+v", x)
	}
	if x := f.Tensors["flags"]; x.DType != Bool || !bytes.Equal(x.Data, []byte{1, 0, 1}) {
		t.Errorf("flags: %+v", x)
	}
	expect.That(t, len(f.Tensors) == 6 && f.Metadata["made by"] == `the "reference"`,
		"%d tensors, notes %v", len(f.Tensors), f.Metadata)
}

// A header of many million names would take twenty times its size in memory; it is rejected early.
func TestHeadersOfTooManyNames(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct{ open, format, close string }{
		{"{", `"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, "}"},
		{`{"__metadata__":{`, `"%d":""`, "}}"},
	} {
		var header strings.Builder
		header.WriteString(tt.open)
		for i := range 4 * maxNames {
			if i > 0 {
				header.WriteByte(',')
			}
			fmt.Fprintf(&header, tt.format, i)
		}
		header.WriteString(tt.close)
		data := raw(header.String())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(data)
		runtime.ReadMemStats(&after)
		refusal.Check(t, err, "more than 131072 names … download the file again")
		took := after.TotalAlloc - before.TotalAlloc
		expect.That(t, took <= 400<<20, "refusing %d bytes allocated %d MiB", len(data), took>>20)
	}
}
