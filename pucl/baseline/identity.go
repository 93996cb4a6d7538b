package baseline

import (
	"fmt"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/train"
)

// describe returns, as text, every setting in c that the numbers depend on.
func (c Config) describe() string {
	views := ""
	if len(c.Recipe) > 0 {
		views = fmt.Sprintf("views: %s; ", c.Recipe)
	}
	return fmt.Sprintf("%s, version %d; batches of %d positives and %d unlabeled; %s, %d steps; %sencoder: %s; seed %d",
		c.Method, c.Method.version(), c.Positives, c.Unlabeled, c.Settings.Update(), c.Settings.Steps, views, encoder.Describe(c.Encoder), c.Seed)
}

// identity holds everything that determines the numbers of a run, besides its settings.
type identity struct {
	Method        string
	Version       int
	Data          string // digest, labels included
	SingleDataset bool
	Encoder       string
	Views         string
	Positives     int
	Unlabeled     int
	HeldOut       string // digest
	Test          string // digest
	Seed          uint64
}

// identity returns the identity of the run. Digests take time, so there are none without a checkpoint.
func (r *run) identity() identity {
	c := r.config
	id := identity{
		Method: c.Method.String(), Version: c.Method.version(), SingleDataset: r.data.SingleDataset, Encoder: encoder.Describe(c.Encoder),
		Views: c.Recipe.String(), Positives: c.Positives, Unlabeled: c.Unlabeled, Seed: c.Seed,
	}
	if c.Settings.Checkpoint != "" {
		id.Data, id.Test = digest(r.data.Examples, r.data.Labeled), digest(c.Test)
		id.HeldOut = digest(c.HeldOut.Data.Examples, c.HeldOut.Data.Labeled, c.HeldOut.Data.SingleDataset, c.HeldOut.Prior)
	}
	return id
}

// digest returns a digest of examples and their labels; "" for none.
func digest(examples Examples, known ...any) string {
	if examples == nil {
		return ""
	}
	return train.Digest(fmt.Append(nil, examples.name(), examples.shape()), examples.bytes(), fmt.Append(nil, known...))
}
