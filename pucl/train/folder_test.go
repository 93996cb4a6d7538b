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
	"github.com/puclab/puclab/internal/expect"
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
		expect.NoError(t, png.Encode(&file, picture))
		files[fmt.Sprintf("%s/%02d.png", []string{"across", "down"}[i%2], i)] = &fstest.MapFile{Data: file.Bytes()}
	}
	set := expect.Must(folder.Open(files, folder.Config{Height: 12, Width: 12, Gray: true}))(t)
	images := expect.Must(set.Load(t.Context()))(t)
	pu := expect.Must(datasets.NewPU(images, datasets.SplitConfig{Positive: []int{0}, Labeled: 8, Seed: 1}))(t)
	cfg := datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1}
	memory := expect.Must(datasets.NewBatches(pu, cfg))(t)
	want := expect.Must(Pretrain(context.Background(), eng, memory, quick(6)))(t)
	streamed := expect.Must(datasets.NewSourceBatches(set, pu.Split, cfg))(t)

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
	expect.Require(t, bad != "", "every image is in the first two batches")
	whole := files[bad].Data
	files[bad].Data = whole[:len(whole)/2]
	config := quick(6)
	config.Checkpoint = t.TempDir()
	_, err := Pretrain(context.Background(), eng, streamed, config)
	expect.Require(t, err != nil && strings.Contains(err.Error(), bad), "error %v does not name %s", err, bad)
	files[bad].Data = whole
	done := 0
	config.Observer = OnStep(func(Progress) { done++ })
	got := expect.Must(Pretrain(context.Background(), eng, streamed, config))(t)
	expect.That(t, done != 0 && done <= 4,
		"%d steps after mending, want those that were left: the first two were good", done)
	expect.That(t, slices.Equal(got.History.Losses, want.History.Losses),
		"losses %v, from memory %v", got.History.Losses, want.History.Losses)
	expect.That(t, got.Record.Data == want.Record.Data && strings.HasPrefix(got.Record.Data, "images 12×12×1, PU data"),
		"the record tells of %q, from memory of %q", got.Record.Data, want.Record.Data)
}
