package claims

import (
	"slices"
	"strings"
	"testing"
)

// Every statement names claims that there are, or a reason; every claim on a document is named; documents come one after the other.
func TestStatements(t *testing.T) {
	named, documents := map[string]bool{}, []string{}
	for _, s := range Statements() {
		if s.Place == "" || s.Says == "" || (len(s.Claims) == 0) == (s.Reason == "") {
			t.Errorf("%+v: it wants a place, what it says, and either claims or a reason", s)
		}
		if _, err := Find(s.Claims...); err != nil {
			t.Errorf("%s: %v", s.Place, err)
		}
		for _, id := range s.Claims {
			named[id] = true
		}
		if len(documents) == 0 || documents[len(documents)-1] != s.Document {
			documents = append(documents, s.Document)
		}
	}
	if !slices.Equal(documents, Documents()) {
		t.Errorf("statements of %q, want those of %q in this order", documents, Documents())
	}
	for _, c := range All() {
		if !named[c.ID] && !strings.HasPrefix(c.Source, ofThisLibrary) {
			t.Errorf("no statement names the claim %s", c.ID)
		}
	}
}

func TestWriteStatements(t *testing.T) {
	var out strings.Builder
	rows := statementsOf("A paper", [][3]string{{"(1)", "|x| is 1", "a b"}, {"(2)", "what x is", "– a definition of |x|"}})
	err := WriteStatements(&out, rows, Claim{ID: "b", Finding: Finding{Verdict: Holds}})
	want := "#### A paper\n\n| place | says | checked by, or why not |\n| --- | --- | --- |\n" +
		"| (1) | \\|x\\| is 1 | a<br>b: **holds** |\n| (2) | what x is | – a definition of \\|x\\| |\n"
	if err != nil || out.String() != want {
		t.Errorf("%v, %s", err, out.String())
	}
}
