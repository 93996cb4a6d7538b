package claims

import (
	"os"
	"strings"
	"testing"
)

func TestT1Plants(t *testing.T) {
	for _, c := range All() {
		if !strings.Contains(os.Getenv("ONLY"), c.ID) {
			continue
		}
		for _, p := range Plants() {
			for _, id := range p.Claims {
				if id != c.ID {
					continue
				}
				x, err := c.CheckPlanted(openEngine(t), p)
				if err == nil && x.Verdict != Undecided {
					t.Errorf("%s survives %s: %s", c.ID, p.Name, x)
				} else {
					t.Log(c.ID, p.Name, x.Sentence, err)
				}
			}
		}
	}
}
