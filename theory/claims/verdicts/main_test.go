package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	_ "github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory/claims"
)

func TestLinesAndRecords(t *testing.T) {
	var out, messages bytes.Buffer
	expect.NoError(t, run([]string{"noise-rate"}, &out, &messages))
	fields := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\t")
	expect.That(t, len(fields) == 4 && fields[0] == "noise-rate" && fields[1] == "conditional" &&
		strings.HasSuffix(fields[3], "."), "the line is %q", out.String())
	expect.That(t, strings.Contains(messages.String(), "Checking noise-rate (1 of 1)"),
		"messages %q", messages.String())

	out.Reset()
	expect.NoError(t, run([]string{"-json", "noise-rate"}, &out, &messages))
	var records []claims.Claim
	err := json.Unmarshal(out.Bytes(), &records)
	expect.Require(t, err == nil, "%v in %s", err, out.Bytes())
	expect.That(t, len(records) == 1 && records[0].Row()+"\n" == strings.Join(fields, "\t")+"\n" &&
		records[0].Why != "" && len(records[0].Measured) != 0, "the record %+v is not that of the line", records)

	out.Reset()
	if err := run([]string{"-markdown", "noise-rate"}, &out, &messages); err != nil || !strings.Contains(out.String(), "| noise-rate | conditional |") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// An injected bug leaves no verdict, and the list of bugs contains it.
func TestPlant(t *testing.T) {
	expect.Slow(t)
	var out, messages bytes.Buffer
	expect.NoError(t, run([]string{"-plants", "noise-rate"}, &out, &messages))
	const name = "noise-rate:gamma-up"
	expect.That(t, strings.Contains(out.String(), name+"\tgamma times 1 + 1/64\tnoise-rate\n") &&
		!strings.Contains(out.String(), "lemma-2:"), "the plants of noise-rate are %q", out.String())
	out.Reset()
	expect.NoError(t, run([]string{"-plants", "-json", "noise-rate"}, &out, &messages))
	var plants []claims.Plant
	err := json.Unmarshal(out.Bytes(), &plants)
	expect.That(t, err == nil && len(plants) != 0 && plants[0].What != "", "%v, %+v", err, plants)

	out.Reset()
	expect.NoError(t, run([]string{"-json", "-plant", name}, &out, &messages))
	var records []claims.Claim
	expect.NoError(t, json.Unmarshal(out.Bytes(), &records))
	expect.That(t, len(records) == 1 && records[0].ID == "noise-rate" && records[0].Plant == name &&
		records[0].Verdict == claims.Fails, "%+v", records)
	expect.That(t, strings.Contains(messages.String(), "Planted: gamma times 1 + 1/64."),
		"messages %q", messages.String())

	// A check that ends with an error has detected the bug.
	out.Reset()
	expect.NoError(t, run([]string{"-plant", "lemma-3:5-delta(b)-down"}, &out, &messages))
	expect.That(t, strings.HasPrefix(out.String(), "lemma-3\tundecided\t0\t") &&
		strings.Contains(out.String(), "should hold instead"), "%q", out.String())
}

func TestRefusals(t *testing.T) {
	var out bytes.Buffer
	for want, args := range map[string][]string{
		"there are ": {"nosuch"}, "exclude each other": {"-json", "-markdown"}, "not defined": {"-nosuch"},
		"there is no plant": {"-plant", "nosuch"}, "would not say": {"-plant", "noise-rate:gamma-up", "-markdown"},
		"has no table": {"-plants", "-markdown"}, "lists plants": {"-plants", "-plant", "noise-rate:gamma-up"}, "does not touch": {"-plant", "noise-rate:gamma-up", "lemma-2"},
	} {
		expect.Error(t, run(args, &out, &out), want)
	}
}
