package pseudo

import (
	"fmt"
	"reflect"
	"testing"
)

// Each candidate but the first differs from the base in one of three fields, defaults filled in, no two are the same, and Choose takes them
// all: what its risks rest on does not differ.
func TestSettings(t *testing.T) {
	m := mixtures["two clusters"]
	x, labeled, _ := m.draw(3, 40, 200)
	held := make([]bool, len(labeled))
	for i := range 20 {
		held[i] = true
	}
	for _, tt := range []struct {
		base Config
		want int
	}{
		{Config{}, 13}, {Config{HeldOut: held, Seed: 7}, 13}, {Config{Prior: 0.4, Seed: 2}, 13},
		{Config{Landmarks: 50, Trim: 0.3, Folds: 2}, 10}, {Config{Landmarks: -7}, 12}, {Config{Trim: -0.5, HeldOut: held}, 12},
	} {
		base, all := tt.base, Settings(tt.base)
		if len(all) != tt.want || !reflect.DeepEqual(all[0], base) {
			t.Fatalf("%d candidates, the first is %+v", len(all), all[0])
		}
		standard, seen := base.withDefaults(), map[string]bool{}
		for i, c := range all {
			c = c.withDefaults()
			seen[fmt.Sprintf("%+v", c)] = true
			differ := 0
			for _, same := range []bool{c.Landmarks == standard.Landmarks, c.Trim == standard.Trim, c.Folds == standard.Folds} {
				if !same {
					differ++
				}
			}
			if differ != min(i, 1) {
				t.Errorf("candidate %d differs from the first in %d fields", i, differ)
			}
		}
		if len(seen) != len(all) {
			t.Errorf("%d of %d candidates are different", len(seen), len(all))
		}
		chosen := must[*Choice](t)(Choose(x, labeled, all...))
		for i, err := range chosen.Errors {
			if err != nil {
				t.Errorf("candidate %d: %v", i, err)
			}
		}
	}
}
