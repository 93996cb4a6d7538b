package claims

import (
	"strings"
	"testing"
	"time"
)

// Every plant turns the verdict of every claim that it touches, where the claim does not say that it needs what is planted.
func TestPlants(t *testing.T) {
	eng := openEngine(t)
	plants := map[string][]Plant{}
	for _, p := range Plants() {
		for _, id := range p.Claims {
			plants[id] = append(plants[id], p)
		}
	}
	for _, c := range All() {
		t.Run(c.ID, func(t *testing.T) {
			begin := time.Now()
			sound, err := c.Check(eng)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("sound: %s (%.1f s)", sound.Verdict, time.Since(begin).Seconds())
			for _, p := range plants[c.ID] {
				begin := time.Now()
				planted, err := c.CheckPlanted(eng, p)
				why, spare := c.rests.unneededFor(p)
				said := planted.Sentence
				if err != nil {
					said = err.Error()
				}
				t.Logf("%-50s %s %.1f s: %s", p.Name, planted.Verdict, time.Since(begin).Seconds(), said)
				switch {
				case spare && (err != nil || planted.Verdict != sound.Verdict):
					t.Errorf("%s turns the verdict, though it is said not to be needed (%s): %s, %v", p.Name, why, planted.Verdict, err)
				case !spare && !p.noticed(sound.Verdict, planted.Verdict, err):
					t.Errorf("%s leaves the verdict at %s, and nothing says why: %s", p.Name, planted.Verdict, planted.Sentence)
				}
				if strings.TrimSpace(said) == "" {
					t.Errorf("%s: nothing is said", p.Name)
				}
			}
		})
	}
}
