package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

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

func TestRefusals(t *testing.T) {
	var out bytes.Buffer
	for want, args := range map[string][]string{
		"there are ": {"nosuch"}, "exclude each other": {"-json", "-markdown"}, "not defined": {"-nosuch"},
	} {
		if err := run(args, &out, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v", args, err)
		}
	}
}
