package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// start takes a first training step, of a tiny network, and describes the machine. The record that training keeps has the
// hardware and the versions.
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

// backendConfig returns the value of GOMLX_BACKEND by which another process opens the same engine.
func backendConfig(eng *engine.Engine) string {
	if config := os.Getenv("GOMLX_BACKEND"); config != "" {
		return config
	}
	switch eng.Kind {
	case "go":
		return "go"
	case "xla-cuda":
		return "xla:" + eng.Plugin + ",preallocate=false"
	}
	return "xla:" + eng.Plugin
}

// pjrtVersion finds the version of the interface in gomlx's description of a backend: "… plugin (path) v0.81 …".
func pjrtVersion(description string) string {
	return strings.TrimPrefix(regexp.MustCompile(`\) v\d+\.\d+`).FindString(description), ") v")
}

// wheelOf returns name and version of the Python package that a plugin's file came in, as pip has written them down beside
// it; "" where the plugin lies in no site-packages.
func wheelOf(plugin string) string {
	site, file, ok := strings.Cut(filepath.ToSlash(plugin), "/site-packages/")
	if !ok {
		return ""
	}
	// The only error of Glob is a malformed pattern; a folder's name may make one, and then nothing is told.
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
