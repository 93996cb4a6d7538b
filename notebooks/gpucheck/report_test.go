package main

import (
	"bytes"
	"strings"
	"testing"
)

var sample = Report{
	Machine: Machine{Engine: "XLA on GPU, plugin p.so (found)", Kind: "xla-cuda", Devices: 2, Device: "cuda:0", PJRT: "0.81", Wheel: "w 1.0",
		Cards: "NVIDIA X 10 MiB", Driver: "1.2", Hardware: "a processor", Versions: "go 1"},
	Rows: []Row{
		{Kind: "step", What: "a net", Result: Pass, Detail: "3 ms a step", Seconds: 4.4},
		{Kind: "tests", What: "a|b", Result: Fail, Detail: "1 passed, 2 failed, 0 skipped", Failures: []string{"TestA/one", "TestB"}, Seconds: 5},
	},
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := sample.writeText(&b); err != nil {
		t.Fatal(err)
	}
	want := `engine    XLA on GPU, plugin p.so (found)
device    cuda:0, the first of 2
card      NVIDIA X 10 MiB
driver    1.2
plugin    PJRT 0.81, wheel w 1.0
hardware  a processor
versions  go 1

result  check  of     measured (time)
PASS    step   a net  3 ms a step (4 s)
FAIL    tests  a|b    1 passed, 2 failed, 0 skipped: TestA/one, TestB (5 s)

1 passed, 1 failed, 0 not run.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := sample.writeMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- card: NVIDIA X 10 MiB\n", "| FAIL | tests | a\\|b | 1 passed, 2 failed, 0 skipped: TestA/one, TestB | 5 |\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestWrap(t *testing.T) {
	got := wrap("one two three fourteen-letters x", 9)
	want := []string{"one two", "three", "fourteen-letters", "x"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}

func TestGrouped(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567.8: "1,234,568"} {
		if got := grouped(x); got != want {
			t.Errorf("%g: %q, want %q", x, got, want)
		}
	}
}
