package claims

import (
	"slices"
	"testing"
)

// Every plant turns the verdict of every claim that it touches, where the claim does not say that it can do without.
func TestPlants(t *testing.T) {
	eng := openEngine(t)
	plants := Plants()
	for _, c := range All() {
		t.Run(c.ID, func(t *testing.T) {
			sound, err := c.Check(eng)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range plants {
				if !slices.Contains(p.Claims, c.ID) {
					continue
				}
				t.Run(p.Name, func(t *testing.T) {
					planted, err := c.CheckPlanted(eng, p)
					why, spare := c.rests.unneededFor(p)
					t.Logf("%s: %s %v", planted.Verdict, planted.Sentence, err)
					switch {
					case spare && (err != nil || planted.Verdict != sound.Verdict):
						t.Errorf("%s, %v, where %s was said to be unneeded: %s", planted, err, p.Name, why)
					case !spare && !p.noticed(sound.Verdict, planted.Verdict, err):
						t.Errorf("not noticed, and nothing says why: %s", planted)
					case err == nil && planted.Sentence == "":
						t.Error("no word on what was noticed")
					}
				})
			}
		})
	}
}
