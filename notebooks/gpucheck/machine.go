package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// start takes a first training step with a tiny network, and describes the machine from the training record, which has
// the hardware and the versions.
func start(ctx context.Context, eng *engine.Engine) (*Machine, *Row, error) {
	began := time.Now()
	model, err := train.Pretrain(ctx, eng, newNoise(4, 8, 1), train.Config{
		Steps: 1, Encoder: encoder.SmallCNN{Width: 2, Dim: 8}, Projection: 4, Seed: 1})
	if err != nil {
		return nil, nil, err
	}
	m := &Machine{
		Engine: eng.String(), Kind: eng.Kind, Backend: backendConfig(eng), Devices: eng.Backend.NumDevices(),
		Device: eng.Backend.DeviceDescription(0), PJRT: pjrtVersion(eng.Backend.Description()), Wheel: wheelOf(eng.Plugin),
		Hardware: model.Record.Hardware,
	}
	_, versions, _ := strings.Cut(model.Record.String(), "\nversions: ")
	m.Versions, _, _ = strings.Cut(versions, "\n")
	took := time.Since(began).Seconds()
	return m, &Row{
		Kind: kindStart, What: "a first training step", Result: Pass,
		Detail: fmt.Sprintf("compiled and taken in %.1f s, loss %.3f nats", took, model.History.Losses[0]),
		Values: map[string]float64{"seconds": took, "loss_nats": model.History.Losses[0]},
	}, nil
}

// backendConfig returns the value of GOMLX_BACKEND with which another process opens the same engine.
func backendConfig(eng *engine.Engine) string {
	found := "xla:" + eng.Plugin
	switch eng.Kind {
	case "go":
		found = "go"
	case "xla-cuda":
		found += ",preallocate=false"
	}
	return cmp.Or(os.Getenv("GOMLX_BACKEND"), found)
}

// pjrtVersion returns the version of the interface from gomlx's description of a backend: "… plugin (path) v0.81 …".
func pjrtVersion(description string) string {
	return strings.TrimPrefix(regexp.MustCompile(`\) v\d+\.\d+`).FindString(description), ") v")
}

// wheelOf returns name and version of the Python package of a plugin's file, from pip's records beside it; "" if the
// plugin is not in a site-packages folder.
func wheelOf(plugin string) string {
	site, file, ok := strings.Cut(filepath.ToSlash(plugin), "/site-packages/")
	if !ok {
		return ""
	}
	// The only error of Glob is a malformed pattern, which a folder's name may cause; then there is no result.
	records, _ := filepath.Glob(filepath.Join(filepath.FromSlash(site), "site-packages", "*.dist-info", "RECORD"))
	for _, record := range records {
		text, err := os.ReadFile(record)
		if err == nil && (strings.HasPrefix(string(text), file+",") || strings.Contains(string(text), "\n"+file+",")) {
			name := strings.TrimSuffix(filepath.Base(filepath.Dir(record)), ".dist-info")
			name, version, _ := strings.Cut(name, "-")
			return strings.ReplaceAll(name, "_", "-") + " " + version
		}
	}
	return ""
}

// nvidia fills in the GPUs' data from nvidia-smi, or else from the kernel. Without both, nothing is filled in.
func (m *Machine) nvidia(ctx context.Context) {
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader").Output()
	if err != nil {
		if text, err := os.ReadFile("/proc/driver/nvidia/version"); err == nil {
			m.Driver = regexp.MustCompile(`\d+\.\d+(\.\d+)?`).FindString(string(text))
		}
		return
	}
	var cards []string
	for line := range strings.Lines(string(out)) { // "NVIDIA H200, 143771 MiB, 580.159.04"
		if fields := strings.Split(strings.TrimSpace(line), ", "); len(fields) == 3 {
			cards, m.Driver = append(cards, fields[0]+" "+fields[1]), fields[2]
		}
	}
	m.Cards = strings.Join(cards, "; ")
}

// watchMemory starts monitoring the memory use of the GPUs. end stops it and returns the largest increase of a GPU's
// memory in bytes; known is false without nvidia-smi.
func watchMemory(ctx context.Context) (end func() (bytes float64, known bool)) {
	query := []string{"--query-gpu=index,memory.used", "--format=csv,noheader,nounits"}
	first, err := exec.CommandContext(ctx, "nvidia-smi", query...).Output() // use before the check
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "nvidia-smi", append(query, "-lms", "200")...)
	var rest bytes.Buffer
	cmd.Stdout = &rest
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return notWatched
	}
	return func() (float64, bool) {
		stop()
		_ = cmd.Wait() // stop ends it, so with an error
		return highestRise(string(first) + rest.String())
	}
}

// notWatched ends a watch that never started.
func notWatched() (bytes float64, known bool) { return 0, false }

// highestRise returns the largest increase in bytes of a GPU's memory over its first value, from lines "0, 1234": a GPU
// and its used MiB. known is false without a valid line.
func highestRise(lines string) (bytes float64, known bool) {
	first := map[string]float64{}
	for line := range strings.Lines(lines) {
		card, used, _ := strings.Cut(strings.TrimSpace(line), ", ")
		mib, err := strconv.ParseFloat(used, 64)
		if err != nil {
			continue
		}
		if _, seen := first[card]; !seen {
			first[card] = mib
		}
		bytes = max(bytes, (mib-first[card])*(1<<20))
	}
	return bytes, len(first) > 0
}
