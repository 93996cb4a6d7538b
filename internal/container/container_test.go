package container

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
)

var kind = Kind{Name: "thing", Reader: "things.Load", Version: 2, Mend: "make it again"}

// file returns a file of two sections, of which the first has two parts.
func file(t testing.TB, kind Kind) []byte {
	t.Helper()
	parts := expect.Must(kind.Encode(Section{"words", Parts{[]byte("ab"), []byte("c")}}, Section{"none", nil}))(t)
	expect.That(t, parts.Len() == len(slices.Concat(parts...)),
		"%d bytes, said to be %d", len(slices.Concat(parts...)), parts.Len())
	return slices.Concat(parts...)
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "file")
	parts := expect.Must(kind.Encode(Section{"words", Parts{[]byte("ab"), []byte("c")}}, Section{"none", nil}))(t)
	expect.NoError(t, Write(path, parts))
	sections := expect.Must(kind.Read(path, "words", "none"))(t)
	expect.That(t, len(sections) == 2 && string(sections[0]) == "abc" && len(sections[1]) == 0, "%q", sections)
	expect.Is(t, expect.Err(kind.Read(path+"x", "words")), os.ErrNotExist)
}

// Every changed file is rejected with an error that states its kind and the remedy.
func TestRefused(t *testing.T) {
	good := file(t, kind)
	changed := func(at int, with string) []byte {
		data := bytes.Clone(good)
		copy(data[at:], with)
		return data
	}
	for _, tt := range []struct {
		name, want string
		data       []byte
		damaged    bool
	}{
		{"nothing", "was written by an earlier version of this program, whose files had no checksum, or is no file of it at all; make it again", nil, true},
		{"text", "is no file of it at all; make it again", []byte("some text, which is long enough for a file"), true},
		{"magic alone", "is cut short: it has 8 bytes; make it again", good[:8], true},
		{"half", "is cut short: it should have", good[:len(good)/2], true},
		{"too much", "is damaged: it should have", append(bytes.Clone(good), 1), true},
		{"another byte", "is damaged: its checksum is not that of its bytes; make it again", changed(len(good)-34, "x"), true},
		{"another kind", "is of the kind other, not thing; others.Load reads it", file(t, Kind{Name: "other", Reader: "others.Load", Version: 2}), false},
		{"newer", "was written by a newer version of this program, as version 3 of its kind, where this one reads version 2; update this program",
			file(t, Kind{Name: "thing", Version: 3}), false},
		{"older", "was written by an earlier version of this program, as version 1 of its kind, where this one reads version 2; make it again",
			file(t, Kind{Name: "thing", Version: 1}), false},
	} {
		path := filepath.Join(t.TempDir(), "file")
		expect.NoError(t, os.WriteFile(path, tt.data, 0o644))
		_, err := kind.Read(path, "words", "none")
		var damaged *Damaged
		expect.That(t, err != nil && strings.HasPrefix(err.Error(), path+" ") &&
			strings.Contains(err.Error(), tt.want) && errors.As(err, &damaged) == tt.damaged,
			"%s: %v, want %q", tt.name, err, tt.want)
	}
	for _, names := range [][]string{nil, {"words"}, {"none", "words"}, {"words", "none", "more"}, {"words", "other"}} {
		expect.Error(t, expect.Err(kind.Decode(good, names...)), "other sections")
	}
}

// A forged header with a correct checksum is an error as well.
func TestForgedHeaders(t *testing.T) {
	for name, h := range map[string]string{
		"not JSON":        `{`,
		"another field":   `{"Kind":"thing","Version":2,"Size":1}`,
		"negative":        `{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":-1},{"Name":"none","Bytes":4}]}`,
		"too long":        `{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":9223372036854775807},{"Name":"none","Bytes":1}]}`,
		"too short":       `{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":1},{"Name":"none","Bytes":1}]}`,
		"no section":      `{"Kind":"thing","Version":2}`,
		"twice":           `{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":3},{"Name":"words","Bytes":0}]}`,
		"a large version": `{"Kind":"thing","Version":99999999999999999999}`,
	} {
		sections, err := kind.Decode(forge([]byte(h), []byte("abc")), "words", "none")
		expect.That(t, err != nil, "%s: read as %q", name, sections)
	}
	long := forge(bytes.Repeat([]byte(" "), maxHeader+1), nil)
	expect.Error(t, expect.Err(kind.Decode(long, "words")), "more than")
	short := forge(nil, nil)
	copy(short[prefix-4:], "\xff\xff\x00\x00")
	expect.Error(t, expect.Err(kind.Decode(seal(short[:len(short)-32]), "words")), "damaged header")
	for n := range 20 { // too short for magic, lengths and checksum
		data := binary.LittleEndian.AppendUint64([]byte(magic), uint64(sha256.Size+n))
		expect.That(t, expect.Err(kind.Decode(append(data, make([]byte, sha256.Size+n-len(data))...), "words")) != nil,
			"a file of %d bytes was read", sha256.Size+n)
		if n >= len(data) {
			expect.That(t, expect.Err(kind.Decode(seal(append(data, make([]byte, n-len(data))...)), "words")) != nil,
				"a sealed file of %d bytes was read", sha256.Size+n)
		}
	}
}

// Every changed bit and every missing end is an error.
func TestEveryChangeIsFound(t *testing.T) {
	good := file(t, kind)
	for what, data := range damagetest.Of(good, 8*len(good)) {
		sections, err := kind.Decode(data, "words", "none")
		expect.That(t, err != nil, "%s: read as %q", what, sections)
	}
}

// FuzzDecode decodes any bytes without a panic, also with a correct checksum. The sections that it reads lie in the
// file.
func FuzzDecode(f *testing.F) {
	f.Add(file(f, kind), []byte(nil), []byte(nil))
	f.Add([]byte(nil), []byte(`{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":3},{"Name":"none","Bytes":0}]}`), []byte("abc"))
	f.Add([]byte(nil), []byte(`{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":-3},{"Name":"none","Bytes":6}]}`), []byte("abc"))
	f.Fuzz(func(t *testing.T, data, header, body []byte) {
		for _, data := range [][]byte{data, forge(header, body)} {
			sections, err := kind.Decode(data, "words", "none")
			expect.That(t, err != nil || len(sections) == 2 && len(sections[0])+len(sections[1]) <= len(data),
				"%d bytes gave %d sections", len(data), len(sections))
		}
	})
}

// forge returns a file with any header and rest, with a correct length and checksum.
func forge(header, body []byte) []byte {
	data := binary.LittleEndian.AppendUint64([]byte(magic), uint64(prefix+len(header)+len(body)+sha256.Size))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(header)))
	return seal(slices.Concat(data, header, body))
}

// seal returns data with its checksum at the end.
func seal(data []byte) []byte {
	sum := sha256.Sum256(data)
	return slices.Concat(data, sum[:])
}

type tree struct {
	Leaves   map[string]int
	Branches []tree
	Rest     map[string]map[string][]float64
}

// Values encoded by gob are restored, and no memory is allocated for missing entries of a map at any depth.
func TestDecodeGob(t *testing.T) {
	for name, v := range map[string]any{
		"a map":            map[string]int{"key": 7},
		"a struct":         tree{Leaves: map[string]int{"key": 7}},
		"below":            tree{Branches: []tree{{}, {Leaves: map[string]int{"key": 7}}}},
		"a map of a map":   tree{Rest: map[string]map[string][]float64{"other": {"key": {1, 2}}}},
		"maps of a map":    tree{Rest: map[string]map[string][]float64{"key": {"other": {1, 2}}}},
		"a list of maps":   []map[string]bool{{"key": true}},
		"a map of structs": map[string]tree{"key": {}},
	} {
		var good bytes.Buffer
		expect.NoError(t, gob.NewEncoder(&good).Encode(v))
		back := reflect.New(reflect.TypeOf(v))
		if err := DecodeGob(good.Bytes(), back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), v) {
			t.Errorf("%s came back as %v, %v", name, back.Elem(), err)
		}
		// At 2⁴⁰ entries, Go would make a small map again, since that many exceed the address space.
		forged := expect.Must(damagetest.GobOfManyEntries(v, "key", 1<<20))(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := DecodeGob(forged, reflect.New(reflect.TypeOf(v)).Interface())
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 1<<20 {
			t.Errorf("%s: %d bytes of memory for %d of a file, error %v", name, took, len(forged), err)
		}
	}
}
