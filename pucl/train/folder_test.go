package train

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// Training on an image folder gives what training on the same images in memory does. A broken file stops it with an error
// that names the file; once that is mended, the run goes on from its checkpoint as if nothing had been.
func TestPretrainOnAnImageFolder(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(2, 2))
	files := fstest.MapFS{}
	for i := range 40 {
		picture := image.NewGray(image.Rect(0, 0, 12, 12))
		copy(picture.Pix, stripe(rng, i%2 == 0))
		var file bytes.Buffer
		if err := png.Encode(&file, picture); err != nil {
			t.Fatal(err)
		}
		files[fmt.Sprintf("%s/%02d.png", []string{"across", "down"}[i%2], i)] = &fstest.MapFile{Data: file.Bytes()}
	}
	set, err := folder.Open(files, folder.Config{Height: 12, Width: 12, Gray: true})
	if err != nil {
		t.Fatal(err)
	}
	images, err := set.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pu, err := datasets.NewPU(images, datasets.SplitConfig{Positive: []int{0}, Labeled: 8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	cfg := datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1}
	memory, err := datasets.NewBatches(pu, cfg)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Pretrain(context.Background(), eng, memory, quick(6))
	if err != nil {
		t.Fatal(err)
	}
	streamed, err := datasets.NewSourceBatches(set, pu.Split, cfg)
	if err != nil {
		t.Fatal(err)
	}

	// An image that the first two steps do without.
	bad := ""
	early := slices.Concat(streamed.Rows(0), streamed.Rows(1))
	for _, example := range slices.Concat(streamed.Rows(2), streamed.Rows(3), streamed.Rows(4)) {
		row := pu.Index[example]
		if !slices.ContainsFunc(early, func(e int) bool { return pu.Index[e] == row }) {
			bad = set.Path(row)
			break
		}
	}
	if bad == "" {
		t.Fatal("every image is in the first two batches")
	}
	whole := files[bad].Data
	files[bad].Data = whole[:len(whole)/2]
	config := quick(6)
	config.Checkpoint = t.TempDir()
	if _, err := Pretrain(context.Background(), eng, streamed, config); err == nil || !strings.Contains(err.Error(), bad) {
		t.Fatalf("error %v does not name %s", err, bad)
	}
	files[bad].Data = whole
	done := 0
	config.Observer = OnStep(func(Progress) { done++ })
	got, err := Pretrain(context.Background(), eng, streamed, config)
	if err != nil {
		t.Fatal(err)
	}
	if done == 0 || done > 4 {
		t.Errorf("%d steps after mending, want those that were left: the first two were good", done)
	}
	if !slices.Equal(got.History.Losses, want.History.Losses) {
		t.Errorf("losses %v, from memory %v", got.History.Losses, want.History.Losses)
	}
	if got.Record.Data != want.Record.Data || !strings.HasPrefix(got.Record.Data, "images 12×12×1, PU data") {
		t.Errorf("the record tells of %q, from memory of %q", got.Record.Data, want.Record.Data)
	}
}
