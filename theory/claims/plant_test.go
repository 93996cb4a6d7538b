package claims

import (
	"testing"
	"time"
)

// Every plant turns the verdict of every claim that it touches, where the claim does not say that it can do without.
func TestPlants(t *testing.T) {
	eng := openEngine(t)
	plants := Plants()
	b := newBench() // shared, since compiling takes longer than measuring
	defer b.close()
	for _, c := range All() {
		t.Run(c.ID, func(t *testing.T) {
			sound, err := c.checkOn(b, eng, Plant{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range plants {
				if !p.Touches(c.ID) {
					continue
				}
				t.Run(p.Name, func(t *testing.T) {
					begin := time.Now()
					planted, err := c.checkOn(b, eng, p)
					why, spare := c.rests.unneededFor(p)
					t.Logf("%.1f s, %s: %s %v", time.Since(begin).Seconds(), planted.Verdict, planted.Sentence, err)
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
