package classify

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// bestScope holds copies of the networks' variables after the best epoch so far. They belong to the store so that
// checkpoints hold them too.
const bestScope = "/best"

// networkVariables lists the variables of encoder, projector and head.
func (t *finetuning) networkVariables() (all []*model.Variable) {
	for v := range t.model.Store().IterVariables() {
		if scope, _, _ := strings.Cut(strings.TrimPrefix(v.Path(), "/"), "/"); slices.Contains(append(t.model.Networks(), headScope), scope) {
			all = append(all, v)
		}
	}
	return all
}

// keepBest copies the networks' variables to bestScope.
func (t *finetuning) keepBest() error { return t.copyNetworks("keeping", "/", bestScope) }

// takeBest sets the networks' variables to the values of the best epoch.
func (t *finetuning) takeBest() error { return t.copyNetworks("taking the best", bestScope, "/") }

// copyNetworks copies the networks' variables from one scope to another, and creates missing ones there.
func (t *finetuning) copyNetworks(what, from, to string) error {
	store := t.model.Store()
	for _, v := range t.networkVariables() {
		value, err := store.GetVariable(path.Join(from, v.Path())).Value()
		if err == nil {
			value, err = value.LocalClone()
		}
		if err == nil {
			if kept := store.GetVariable(path.Join(to, v.Path())); kept != nil {
				err = kept.SetValue(value)
			} else if kept, err = store.CreateVariable(path.Join(to, v.Path()), value); err == nil {
				kept.SetTrainable(false)
			}
		}
		if err != nil {
			return fmt.Errorf("classify: %s %s: %w", what, v.Path(), err)
		}
	}
	return nil
}

// result returns the classifier of the kept epoch.
func (t *finetuning) result(tuning *Tuning) (*Tuned, error) {
	if t.config.Keep == evaluate.WithoutNegatives && t.state.Best.Epoch > 0 {
		if err := t.takeBest(); err != nil {
			return nil, err
		}
	}
	head, err := t.head()
	if err != nil {
		return nil, err
	}
	if tuning.Predicted, err = t.predicted(head); err != nil {
		return nil, err
	}
	return &Tuned{Model: t.model, Probe: head, Tuning: tuning}, t.model.DropTraining()
}

// head returns the current head, for unscaled embeddings.
func (t *finetuning) head() (*probe.Probe, error) {
	flat := map[string][]float32{}
	for _, name := range []string{"weights", "bias"} {
		value, err := t.model.Store().GetVariable("/" + headScope + "/" + name).Value()
		if err == nil {
			flat[name], err = tensors.CopyFlatData[float32](value)
		}
		if err != nil {
			return nil, fmt.Errorf("classify: reading the head: %w", err)
		}
	}
	return probe.FromStandardized(flat["weights"], flat["bias"], t.mean, t.std), nil
}

// scores returns the logits of the positive class by the current network.
func (t *finetuning) scores(images []uint8) ([]float64, error) {
	x, err := t.embed(images)
	head, failed := t.head()
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	return head.Scores(x)
}

// predicted counts the predictions of each class for the training images.
func (t *finetuning) predicted(head *probe.Probe) ([]int, error) {
	x, err := t.embed(t.images)
	if err != nil {
		return nil, err
	}
	logits, err := head.Logits(x)
	if err != nil {
		return nil, err
	}
	counts := make([]int, max(t.outputs, 2))
	n, _ := logits.Dims()
	for i := range n {
		row := logits.RawRowView(i)
		if slices.ContainsFunc(row, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
			return nil, fmt.Errorf("classify: the fine-tuned network gives %g for image %d; a lower learning rate may mend it", row, i)
		}
		if t.outputs == 1 {
			row = []float64{0, row[0]} // of the negative and the positive class
		}
		counts[floats.MaxIdx(row)]++
	}
	return counts, nil
}

// identity holds everything that determines the numbers of fine-tuning, besides its settings.
type identity struct {
	Data            string
	Images          string // digest, labels included
	Model           string // digest of the initial weights, including the head's
	LossOnSample    string // functions cannot be compared, but a changed one usually has another loss
	FreezeEncoder   bool
	BatchStatistics bool
	BatchSize       int
	Views           string
	HeldOut         string // digest
	ProxyOnSample   string
	Keep            evaluate.Choice
	Seed            uint64
}

// identity returns the identity of the run.
func (t *finetuning) identity(eng *engine.Engine, m *train.Model) (identity, error) {
	c := t.config
	labels, err := bytesOf(t.labels(rows.All(t.n)))
	if err != nil {
		return identity{}, err
	}
	weights, bias := t.start.Standardized(t.mean, t.std)
	network := [][]byte{fmt.Appendf(nil, "%v %v", weights, bias)}
	for v := range m.Store().IterVariables() {
		value, err := v.Value()
		if err != nil {
			return identity{}, fmt.Errorf("classify: reading %s: %w", v.Path(), err)
		}
		data, err := bytesOf(value)
		if err != nil {
			return identity{}, err
		}
		sum := sha256.Sum256(data)
		network = append(network, append([]byte(v.Path()+" "), sum[:]...))
	}
	slices.SortFunc(network[1:], slices.Compare[[]byte])
	loss, err := t.lossOnSample(eng)
	if err != nil {
		return identity{}, err
	}
	id := identity{
		Data: t.data, Images: train.Digest(t.images, labels), Model: train.Digest(network...), LossOnSample: loss,
		FreezeEncoder: c.FreezeEncoder, BatchStatistics: c.BatchStatistics, BatchSize: c.BatchSize,
		Views: c.Recipe.String(), Keep: c.Keep, Seed: c.Seed,
	}
	if h := c.HeldOut; h != nil {
		id.HeldOut = train.Digest(h.Images.Pixels, fmt.Append(nil, h.Images.Labels), fmt.Appendf(nil, "%+v", h.PU),
			h.Test.Pixels, fmt.Append(nil, h.Test.Labels))
		if id.ProxyOnSample, err = h.proxyOnSample(); err != nil {
			return identity{}, err
		}
	}
	return id, nil
}

// bytesOf returns the bytes of a tensor.
func bytesOf(x *tensors.Tensor) (data []byte, err error) {
	err = x.ConstBytes(func(b []byte) { data = slices.Clone(b) })
	return data, err
}

// lossOnSample returns the loss of some logits with the labels of the first images, as text.
func (t *finetuning) lossOnSample(eng *engine.Engine) (string, error) {
	count := min(t.n, 8)
	logits := tensors.FromFlatDataAndDimensions(make([]float32, count*t.outputs), count, t.outputs)
	err := tensors.MutableFlatData(logits, func(flat []float32) {
		for i := range flat {
			flat[i] = float32((i*7)%11)/4 - 1
		}
	})
	if err != nil {
		return "", err
	}
	out, err := ExecOnce(eng.Backend, t.loss, logits, t.labels(rows.All(count)))
	if err != nil {
		return "", fmt.Errorf("classify: %w", engine.RootCause(err))
	}
	return fmt.Sprintf("%.5g", tensors.ToScalar[float32](out)), nil
}
