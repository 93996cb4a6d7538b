package launcher

import (
	"os"
	"strings"
	"testing"
)

// The verdicts come alone on the standard output, also where the environment has to be made first.
func TestClaims(t *testing.T) {
	w := newWorkshop(t)
	status, stdout, stderr := launchIn(t, w.place.root, "claims", "-json", "theorem-1", "lemma-2")
	if status != 0 || stdout != "id\tfails\t2\tIt does not.\n" {
		t.Errorf("status %d, %q", status, stdout)
	}
	contains(t, stderr, "building", "Python")
	calls, err := os.ReadFile(w.calls)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(calls), "go run "+verdictsPackage+" -json=true theorem-1 lemma-2\n")
}

func TestClaimsThatCannotBeChecked(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("RUN_SAYS", "claims: there is no claim \"x\"")
	status, stdout, stderr := launchIn(t, w.place.root, "claims", "x")
	if status != 1 || stdout != "" || !strings.Contains(stderr, `there is no claim "x"`) {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}
