package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	_ "github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/theory/claims"
)

func TestLinesAndRecords(t *testing.T) {
	var out, messages bytes.Buffer
	if err := run([]string{"noise-rate"}, &out, &messages); err != nil {
		t.Fatal(err)
	}
	fields := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\t")
	if len(fields) != 4 || fields[0] != "noise-rate" || fields[1] != "conditional" || !strings.HasSuffix(fields[3], ".") {
		t.Errorf("the line is %q", out.String())
	}
	if !strings.Contains(messages.String(), "Checking noise-rate (1 of 1)") {
		t.Errorf("messages %q", messages.String())
	}

	out.Reset()
	if err := run([]string{"-json", "noise-rate"}, &out, &messages); err != nil {
		t.Fatal(err)
	}
	var records []claims.Claim
	if err := json.Unmarshal(out.Bytes(), &records); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	if len(records) != 1 || records[0].Row()+"\n" != strings.Join(fields, "\t")+"\n" || records[0].Why == "" || len(records[0].Measured) == 0 {
		t.Errorf("the record %+v is not that of the line", records)
	}

	out.Reset()
	if err := run([]string{"-markdown", "noise-rate"}, &out, &messages); err != nil || !strings.Contains(out.String(), "| noise-rate | conditional |") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// A planted mistake leaves no verdict, and the list of plants has it.
func TestPlant(t *testing.T) {
	expect.Slow(t)
	var out, messages bytes.Buffer
	if err := run([]string{"-plants", "noise-rate"}, &out, &messages); err != nil {
		t.Fatal(err)
	}
	const name = "noise-rate:gamma-up"
	if !strings.Contains(out.String(), name+"\tgamma times 1 + 1/64\tnoise-rate\n") || strings.Contains(out.String(), "lemma-2:") {
		t.Errorf("the plants of noise-rate are %q", out.String())
	}
	out.Reset()
	if err := run([]string{"-plants", "-json", "noise-rate"}, &out, &messages); err != nil {
		t.Fatal(err)
	}
	var plants []claims.Plant
	if err := json.Unmarshal(out.Bytes(), &plants); err != nil || len(plants) == 0 || plants[0].What == "" {
		t.Errorf("%v, %+v", err, plants)
	}

	out.Reset()
	if err := run([]string{"-json", "-plant", name}, &out, &messages); err != nil {
		t.Fatal(err)
	}
	var records []claims.Claim
	if err := json.Unmarshal(out.Bytes(), &records); err != nil {
		t.Fatal(err)
	}
	if len(records) != 1 || records[0].ID != "noise-rate" || records[0].Plant != name || records[0].Verdict != claims.Fails {
		t.Errorf("%+v", records)
	}
	if !strings.Contains(messages.String(), "Planted: gamma times 1 + 1/64.") {
		t.Errorf("messages %q", messages.String())
	}

	// A check that ends with an error has noticed.
	out.Reset()
	if err := run([]string{"-plant", "lemma-3:5-delta(b)-down"}, &out, &messages); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "lemma-3\tundecided\t0\t") || !strings.Contains(out.String(), "should hold instead") {
		t.Errorf("%q", out.String())
	}
}

func TestRefusals(t *testing.T) {
	var out bytes.Buffer
	for want, args := range map[string][]string{
		"there are ": {"nosuch"}, "exclude each other": {"-json", "-markdown"}, "not defined": {"-nosuch"},
		"there is no plant": {"-plant", "nosuch"}, "would not say": {"-plant", "noise-rate:gamma-up", "-markdown"},
		"has no table": {"-plants", "-markdown"}, "lists plants": {"-plants", "-plant", "noise-rate:gamma-up"}, "does not touch": {"-plant", "noise-rate:gamma-up", "lemma-2"},
	} {
		if err := run(args, &out, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v", args, err)
		}
	}
}
