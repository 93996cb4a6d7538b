package container

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/damagetest"
)

var kind = Kind{Name: "thing", Reader: "things.Load", Version: 2, Mend: "make it again"}

// file returns a file of two sections, of which the first lies in two parts.
func file(t testing.TB, kind Kind) []byte {
	t.Helper()
	parts, err := kind.Encode(Section{"words", Parts{[]byte("ab"), []byte("c")}}, Section{"none", nil})
	if err != nil {
		t.Fatal(err)
	}
	if parts.Len() != len(slices.Concat(parts...)) {
		t.Errorf("%d bytes, said to be %d", len(slices.Concat(parts...)), parts.Len())
	}
	return slices.Concat(parts...)
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "file")
	parts, err := kind.Encode(Section{"words", Parts{[]byte("ab"), []byte("c")}}, Section{"none", nil})
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(path, parts); err != nil {
		t.Fatal(err)
	}
	sections, err := kind.Read(path, "words", "none")
	if err != nil || len(sections) != 2 || string(sections[0]) != "abc" || len(sections[1]) != 0 {
		t.Errorf("%q, %v", sections, err)
	}
	if _, err := kind.Read(path+"x", "words"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Every file that is not what was written is refused in a sentence that says what it is and what to do.
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
		if err := os.WriteFile(path, tt.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := kind.Read(path, "words", "none")
		var damaged *Damaged
		if err == nil || !strings.HasPrefix(err.Error(), path+" ") || !strings.Contains(err.Error(), tt.want) || errors.As(err, &damaged) != tt.damaged {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, names := range [][]string{nil, {"words"}, {"none", "words"}, {"words", "none", "more"}, {"words", "other"}} {
		if _, err := kind.Decode(good, names...); err == nil || !strings.Contains(err.Error(), "other sections") {
			t.Errorf("sections %q: %v", names, err)
		}
	}
}

// A forged header, its checksum right, is an error as well.
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
		if sections, err := kind.Decode(forge([]byte(h), []byte("abc")), "words", "none"); err == nil {
			t.Errorf("%s: read as %q", name, sections)
		}
	}
	long := forge(bytes.Repeat([]byte(" "), maxHeader+1), nil)
	if _, err := kind.Decode(long, "words"); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
	short := forge(nil, nil)
	copy(short[prefix-4:], "\xff\xff\x00\x00")
	if _, err := kind.Decode(seal(short[:len(short)-32]), "words"); err == nil || !strings.Contains(err.Error(), "damaged header") {
		t.Error(err)
	}
	for n := range 20 { // too short for magic, lengths and checksum
		data := binary.LittleEndian.AppendUint64([]byte(magic), uint64(sha256.Size+n))
		if _, err := kind.Decode(append(data, make([]byte, sha256.Size+n-len(data))...), "words"); err == nil {
			t.Errorf("a file of %d bytes was read", sha256.Size+n)
		}
		if n >= len(data) {
			if _, err := kind.Decode(seal(append(data, make([]byte, n-len(data))...)), "words"); err == nil {
				t.Errorf("a sealed file of %d bytes was read", sha256.Size+n)
			}
		}
	}
}

// No bit can change and no end be missing without an error.
func TestEveryChangeIsFound(t *testing.T) {
	good := file(t, kind)
	for what, data := range damagetest.Of(good, 8*len(good)) {
		if sections, err := kind.Decode(data, "words", "none"); err == nil {
			t.Errorf("%s: read as %q", what, sections)
		}
	}
}

// FuzzDecode decodes any bytes without a panic, as they are and as the header and sections of a file whose checksum is right.
// What it reads lies in the file.
func FuzzDecode(f *testing.F) {
	f.Add(file(f, kind), []byte(nil), []byte(nil))
	f.Add([]byte(nil), []byte(`{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":3},{"Name":"none","Bytes":0}]}`), []byte("abc"))
	f.Add([]byte(nil), []byte(`{"Kind":"thing","Version":2,"Sections":[{"Name":"words","Bytes":-3},{"Name":"none","Bytes":6}]}`), []byte("abc"))
	f.Fuzz(func(t *testing.T, data, header, body []byte) {
		for _, data := range [][]byte{data, forge(header, body)} {
			sections, err := kind.Decode(data, "words", "none")
			if err == nil && (len(sections) != 2 || len(sections[0])+len(sections[1]) > len(data)) {
				t.Errorf("%d bytes gave %d sections", len(data), len(sections))
			}
		}
	})
}

// forge returns a file with any header and what follows it, whose length and checksum are right.
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
