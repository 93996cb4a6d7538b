package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

func writeFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.NoError(t, os.WriteFile(path, []byte(text), mode))
}

func TestWheel(t *testing.T) {
	site := filepath.Join(t.TempDir(), "lib", "python3.12", "site-packages")
	plugin := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	writeFile(t, filepath.Join(site, "other-2.0.dist-info", "RECORD"), "other.py,,\n", 0o644)
	writeFile(t, filepath.Join(site, "jax_cuda13_pjrt-0.10.2.dist-info", "RECORD"), "a,,\njax_plugins/xla_cuda13/xla_cuda_plugin.so,sha256=x,5\n", 0o644)
	expect.Equal(t, wheelOf(plugin), "jax-cuda13-pjrt 0.10.2")
	for _, other := range []string{"", "/usr/lib/plugin.so", filepath.Join(site, "mine.so")} {
		expect.Equal(t, wheelOf(other), "", "%s", other)
	}
}

func TestPJRTVersion(t *testing.T) {
	for description, want := range map[string]string{
		`xla:/v9.9/p.so - PJRT "/v9.9/p.so" plugin (/v9.9/p.so) v0.81 [StableHLO] [4 device(s)]`: "0.81", "pure Go": "",
	} {
		expect.Equal(t, pjrtVersion(description), want, "%q", description)
	}
}

// smi puts a fake nvidia-smi on the search path.
func smi(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "nvidia-smi"), "#!/bin/sh\n"+script, 0o755)
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

func TestNvidia(t *testing.T) {
	smi(t, `echo "NVIDIA H200, 143771 MiB, 580.159.04"; echo "NVIDIA L4, 23034 MiB, 580.159.04"`)
	var m Machine
	m.nvidia(context.Background())
	expect.That(t, m.Cards == "NVIDIA H200 143771 MiB; NVIDIA L4 23034 MiB" && m.Driver == "580.159.04", "%+v", m)
	smi(t, "exit 9\n")
	m = (Machine{})
	expect.That(t, m.Cards == "", "%+v", m)
}

// The memory is the largest increase of one GPU over its first value.
func TestMemoryWatch(t *testing.T) {
	printed := filepath.Join(t.TempDir(), "printed")
	smi(t, "case \"$*\" in *-lms*) ;; *) printf '0, 100\\n1, 50\\n'; exit 0 ;; esac\nsleep 0.2\n"+
		"printf '0, 120\\n1, 550\\n0, 110\\n1, 60\\n'\ntouch '"+printed+"'\nexec sleep 60\n")
	end := watchMemory(context.Background())
	for _, err := os.Stat(printed); err != nil; _, err = os.Stat(printed) {
		time.Sleep(time.Millisecond)
	}
	bytes, ok := end()
	expect.That(t, ok && bytes == 500*(1<<20), "%g bytes, %v", bytes, ok)
	t.Setenv("PATH", t.TempDir())
	if bytes, ok := watchMemory(context.Background())(); ok || bytes != 0 {
		t.Errorf("without nvidia-smi: %g bytes, %v", bytes, ok)
	}
}

// The test part of CIFAR-10 is sufficient; without it the error states the remedy.
func TestCIFARImages(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PUCL_DATA_DIR", "")
	_, _, err := cifarIn([]string{dir})
	expect.That(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "put cifar-10-binary.tar.gz") &&
		strings.Contains(err.Error(), dir) && strings.Contains(err.Error(), "PUCL_DATA_DIR"), "%v", err)
	data := make([]byte, 10_000*3073)
	for i := range 10_000 {
		data[i*3073] = byte(i % 10)
		data[i*3073+1] = byte(i)
	}
	writeFile(t, filepath.Join(dir, "cifar-10-batches-bin", "test_batch.bin"), string(data), 0o644)
	train, test := expect.Must2(cifarIn([]string{filepath.Join(dir, "nowhere"), dir}))(t)
	expect.That(t, train.Len() == 8000 && test.Len() == 2000 && train.Counts()[3] == 800 && test.Counts()[3] == 200,
		"%d to learn from, %d held out", train.Len(), test.Len())
	writeFile(t, filepath.Join(dir, "cifar-10-batches-bin", "test_batch.bin"), "short", 0o644)
	if _, _, err := cifarIn([]string{dir}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a damaged file: %v", err)
	}
}

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
	expect.NoError(t, sample.writeText(&b))
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
	expect.That(t, b.String() == want, "got\n%s\nwant\n%s", b.String(), want)
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	expect.NoError(t, sample.writeMarkdown(&b))
	for _, want := range []string{"- card: NVIDIA X 10 MiB\n", "| FAIL | tests | a\\|b | 1 passed, 2 failed, 0 skipped: TestA/one, TestB | 5 |\n"} {
		expect.That(t, strings.Contains(b.String(), want), "%q is not in\n%s", want, b.String())
	}
}

func TestWrap(t *testing.T) {
	got := wrap("one two three fourteen-letters x", 9)
	want := []string{"one two", "three", "fourteen-letters", "x"}
	expect.That(t, strings.Join(got, "|") == strings.Join(want, "|"), "%q", got)
}

func TestGrouped(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567.8: "1,234,568"} {
		expect.Equal(t, grouped(x), want, "%g", x)
	}
}
