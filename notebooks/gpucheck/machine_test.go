package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func writeFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestWheel(t *testing.T) {
	site := filepath.Join(t.TempDir(), "lib", "python3.12", "site-packages")
	plugin := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	writeFile(t, filepath.Join(site, "other-2.0.dist-info", "RECORD"), "other.py,,\n", 0o644)
	writeFile(t, filepath.Join(site, "jax_cuda13_pjrt-0.10.2.dist-info", "RECORD"), "a,,\njax_plugins/xla_cuda13/xla_cuda_plugin.so,sha256=x,5\n", 0o644)
	if got := wheelOf(plugin); got != "jax-cuda13-pjrt 0.10.2" {
		t.Errorf("%q", got)
	}
	for _, other := range []string{"", "/usr/lib/plugin.so", filepath.Join(site, "mine.so")} {
		if got := wheelOf(other); got != "" {
			t.Errorf("%s: %q", other, got)
		}
	}
}

func TestPJRTVersion(t *testing.T) {
	for description, want := range map[string]string{
		`xla:/v9.9/p.so - PJRT "/v9.9/p.so" plugin (/v9.9/p.so) v0.81 [StableHLO] [4 device(s)]`: "0.81", "pure Go": "",
	} {
		if got := pjrtVersion(description); got != want {
			t.Errorf("%q: %q", description, got)
		}
	}
}

// smi puts a stand-in for nvidia-smi on the search path.
func smi(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "nvidia-smi"), "#!/bin/sh\n"+script, 0o755)
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

func TestNvidia(t *testing.T) {
	smi(t, `echo "NVIDIA H200, 143771 MiB, 580.159.04"; echo "NVIDIA L4, 23034 MiB, 580.159.04"`)
	var m Machine
	if m.nvidia(context.Background()); m.Cards != "NVIDIA H200 143771 MiB; NVIDIA L4 23034 MiB" || m.Driver != "580.159.04" {
		t.Errorf("%+v", m)
	}
	smi(t, "exit 9\n")
	if m = (Machine{}); m.Cards != "" {
		t.Errorf("%+v", m)
	}
}

// The memory is the highest rise of one card above what it held before.
func TestMemoryWatch(t *testing.T) {
	printed := filepath.Join(t.TempDir(), "printed")
	smi(t, "case \"$*\" in *-lms*) ;; *) printf '0, 100\\n1, 50\\n'; exit 0 ;; esac\nsleep 0.2\n"+
		"printf '0, 120\\n1, 550\\n0, 110\\n1, 60\\n'\ntouch '"+printed+"'\nexec sleep 60\n")
	end := watchMemory(context.Background())
	for _, err := os.Stat(printed); err != nil; _, err = os.Stat(printed) {
		time.Sleep(time.Millisecond)
	}
	if bytes, ok := end(); !ok || bytes != 500*(1<<20) {
		t.Errorf("%g bytes, %v", bytes, ok)
	}
	t.Setenv("PATH", t.TempDir())
	if bytes, ok := watchMemory(context.Background())(); ok || bytes != 0 {
		t.Errorf("without nvidia-smi: %g bytes, %v", bytes, ok)
	}
}

// Of CIFAR-10 the test part alone will do; where there is none the sentence says what to do.
func TestCIFARImages(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PUCL_DATA_DIR", "")
	_, _, err := cifarIn([]string{dir})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "put cifar-10-binary.tar.gz") || !strings.Contains(err.Error(), dir) ||
		!strings.Contains(err.Error(), "PUCL_DATA_DIR") {
		t.Errorf("%v", err)
	}
	data := make([]byte, 10_000*3073)
	for i := range 10_000 {
		data[i*3073] = byte(i % 10)
		data[i*3073+1] = byte(i)
	}
	writeFile(t, filepath.Join(dir, "cifar-10-batches-bin", "test_batch.bin"), string(data), 0o644)
	train, test, err := cifarIn([]string{filepath.Join(dir, "nowhere"), dir})
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 8000 || test.Len() != 2000 || train.Counts()[3] != 800 || test.Counts()[3] != 200 {
		t.Errorf("%d to learn from, %d held out", train.Len(), test.Len())
	}
	writeFile(t, filepath.Join(dir, "cifar-10-batches-bin", "test_batch.bin"), "short", 0o644)
	if _, _, err := cifarIn([]string{dir}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a damaged file: %v", err)
	}
}
