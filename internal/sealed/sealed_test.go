package sealed

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
)

type result struct {
	Loss     string
	Seeds    []int
	Accuracy map[string]float64
	Gap      float64
	Data     struct {
		Name   string
		SHA256 string `json:"sha256"` // an inner field may have that name
	}
}

var some = result{Loss: "PUCL", Seeds: []int{1, 2}, Accuracy: map[string]float64{"test": 0.1 + 0.2, "train": 1}, Gap: math.Inf(-1)}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "result.json")
	expect.NoError(t, Write(path, some))
	got := result{Loss: "another", Seeds: []int{7}}
	err := Read(path, &got)
	expect.That(t, err == nil && reflect.DeepEqual(got, some), "%+v came back as %+v, %v", some, got, err)
	var less struct{ Loss string }
	expect.Error(t, Read(path, &less), "Seeds: ", path)
	if err := Read(path+"x", &got); !os.IsNotExist(err) && !strings.Contains(fmt.Sprint(err), "no such file") {
		t.Error(err)
	}
}

// Every changed bit and every missing end of a file is an error.
func TestEveryChangeIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.json")
	expect.NoError(t, Write(path, some))
	good := expect.Must(os.ReadFile(path))(t)
	at := 0
	for what, data := range damagetest.Of(good, 8*len(good)) {
		object, ok := Open(data)
		expect.That(t, !ok, "%s: read as %s", what, object)
		if at++; at%50 != 1 {
			continue
		}
		expect.NoError(t, os.WriteFile(path, data, 0o644))
		var got result
		expect.Error(t, Read(path, &got), path+" is not as it was written")
	}
	object, ok := Open(append(bytes.Clone(good), '\n'))
	expect.That(t, !ok, "with a line more: read as %s", object)
}

// A line keeps numbers and texts unchanged, and every change of it is an error. Only an object with fields can be a
// line.
func TestLine(t *testing.T) {
	const object = `{"Loss":"a < b","Accuracy":0.10,"Tiny":1e-07}`
	line, err := Line([]byte("{\n  \"Loss\": \"a < b\",\n  \"Accuracy\": 0.10, \"Tiny\": 1e-07\n}\n"))
	if back, ok := Open(line); err != nil || !ok || string(back) != object || Sum(line) != sum([]byte(object[1:])) {
		t.Fatalf("%s came back as %s, %v", line, back, err)
	}
	for what, data := range damagetest.Of(line, 8*len(line)) {
		back, ok := Open(data)
		expect.That(t, !ok, "%s: read as %s", what, back)
	}
	for _, text := range []string{"", "{", "{}", "[1]", "7"} {
		if line, err := Line([]byte(text)); err == nil {
			t.Errorf("%q became the line %s", text, line)
		}
	}
}

// What has no fields, or one of the checksum's name, cannot be
func TestWhatCannotBeSealed(t *testing.T) {
	folder := t.TempDir()
	for _, value := range []any{1, "text", []int{1}, nil, map[string]int{}, map[string]int{"sha256": 1}, struct {
		A int
		B int `json:"sha256"`
	}{}, struct{ F func() }{}} {
		expect.That(t, Write(filepath.Join(folder, "f"), value) != nil, "%#v was sealed", value)
	}
	left, err := os.ReadDir(folder)
	expect.That(t, err == nil && len(left) == 0, "left: %v, %v", left, err)
}
