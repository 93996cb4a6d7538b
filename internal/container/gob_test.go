package container

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"runtime"
	"testing"

	"github.com/puclab/puclab/internal/damagetest"
)

type tree struct {
	Leaves   map[string]int
	Branches []tree
	Rest     map[string]map[string][]float64
}

// What gob wrote comes back, and nothing of a map is made for entries that are not there, wherever the map lies.
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
		if err := gob.NewEncoder(&good).Encode(v); err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(v))
		if err := DecodeGob(good.Bytes(), back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), v) {
			t.Errorf("%s came back as %v, %v", name, back.Elem(), err)
		}
		// At 2⁴⁰ entries, Go would make a small map again, since all of them exceed what it can address.
		forged, err := damagetest.GobOfManyEntries(v, "key", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = DecodeGob(forged, reflect.New(reflect.TypeOf(v)).Interface())
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 1<<20 {
			t.Errorf("%s: %d bytes of memory for %d of a file, error %v", name, took, len(forged), err)
		}
	}
}
