package claims

import (
	"testing"

	"github.com/puclab/puclab/theory"
)

func TestReport(t *testing.T) {
	c := Claim{ID: "sum"}
	if got, want := c.Report(), "**sum** has not been checked.\n"; got != want {
		t.Errorf("unchecked: %q, want %q", got, want)
	}
	if got, want := c.Numbers(), "Nothing has been measured.\n"; got != want {
		t.Errorf("unchecked: %q, want %q", got, want)
	}
	c.Finding = Finding{Verdict: Fails, Sentence: "L* is 3.", Measured: []Measurement{
		{"|a|", theory.Exactly(0.5)}, {"b, sampled", theory.Number{Value: 2, Low: 1, High: 3}}}}
	head := "**sum: fails.** L\\* is 3.\n\n"
	table := head + "| measured | |\n| :--- | ---: |\n"
	a, b := "| \\|a\\| | 0.5 |\n", "| b, sampled | 2 [1, 3] |\n"
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{nil, table + a + b},
		{[]string{"sampled"}, table + b},
		{[]string{"b,", "|a"}, table + a + b},
		{[]string{"c"}, head + "No measured number has one of [\"c\"] in its name.\n"},
	} {
		if got := c.Report(tt.words...); got != tt.want {
			t.Errorf("%q:\n%s\nwant\n%s", tt.words, got, tt.want)
		}
		if got := c.Numbers(tt.words...); head+got != tt.want {
			t.Errorf("%q: the numbers alone are\n%s", tt.words, got)
		}
	}
}

func TestExplain(t *testing.T) {
	c := Claim{ID: "sum"}
	if got, want := c.Explain(), "**sum** has not been checked.\n"; got != want {
		t.Errorf("unchecked: %q, want %q", got, want)
	}
	c.Finding = Finding{Verdict: Holds, Sentence: "n_P is 3.", Why: "|B| is."}
	if got, want := c.Explain(), "**sum: holds.** n\\_P is 3.\n\n**Why.** \\|B\\| is."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.Verdict, c.Counterexample, c.Corrected = Fails, "L* = 4", "L* < 5"
	want := "**sum: fails.** n\\_P is 3.\n\n**A case against it.** L\\* = 4\n\n**What holds.** L\\* < 5\n\n**Why.** \\|B\\| is."
	if got := c.Explain(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
