package train

import (
	"context"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// Whatever is asked of no model at all, or of one made by hand, is refused; nothing panics.
func TestNothingGiven(t *testing.T) {
	eng, ctx, path := enginetest.Open(t), context.Background(), filepath.Join(t.TempDir(), "model")
	for _, m := range []*Model{nil, {}} {
		for _, err := range []error{
			m.CheckImages(), m.DropTraining(), m.Save(path), m.Export(path), m.Write(nil),
			refusal.Err(m.Embed(eng, make([]uint8, 4))), refusal.Err(m.EmbedImages(eng, randomImages(1, 2, 2))),
			refusal.Err(m.EmbedFeatures(eng, mat.NewDense(1, 1, nil))), refusal.Err(m.NewEmbedder(eng)),
			refusal.Err(m.Clone()), refusal.Err(m.Weights()), m.CheckShape(2, 2, 1), m.CheckLabeled(make([]uint8, 4), 1, "labels"),
		} {
			refusal.Whole(t, err, "train: no model; … Pretrain and NewModel make one, LoadModel reads one")
		}
	}
	var none *Embedding
	refusal.Check(t, refusal.Err(none.Take([]int{0})), "no embedding … Embed of a model makes one")
	refusal.Check(t, none.Save(path), "no embedding … LoadEmbedding reads one")
	refusal.Check(t, refusal.Err((&Embedding{}).Take([]int{0})), "no rows given … embed at least one example")
	refusal.Check(t, refusal.Err(Pretrain(ctx, eng, nil, quick(1))), "no batches of images … NewBatches of a data set makes some")
	refusal.Check(t, refusal.Err(PretrainFeatures(ctx, eng, nil, quickFeatures(1))), "no batches of rows … NewBatches of a table makes some")
	var never context.Context
	refusal.Check(t, refusal.Err(Pretrain(never, eng, stripes{8, 2}, quick(1))), "no context … give context.Background()")
	refusal.Check(t, refusal.Err(quickModel(t).NewEmbedder(nil)), "no engine given … open one with engine.Open")
}
