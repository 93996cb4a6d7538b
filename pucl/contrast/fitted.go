package contrast

import (
	"fmt"

	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Fitted is the classifier of a method with all intermediate results. Lists have an entry for each encoder, and rows
// and labels have the order of the examples.
type Fitted struct {
	Members    []learn.Member     // the classifier; fine-tuned if configured
	Networks   []*train.Model     // the encoders after pretraining
	Embeddings []*train.Embedding // of the examples
	Labels     []bool             // the labels that the classifiers were trained on: pseudo-labels, or for RiskProbe the labeled positives

	Clusters *cluster.Clustering // of Algorithm1; else nil
	Pseudo   *pseudo.Labels      // of Mixture and CrossFit, with the estimated class prior; else nil

	Fold    []int        // of CrossFit: the encoder trained without the label of an example; −1 for an unlabeled example
	First   *Fitted      // of CrossFit, if Debiased: the result of the first encoders
	HeldOut *evaluate.PU // of CrossFit, if its HeldOut is given: the classifier's measures on these examples

	labeled       []bool // of the examples
	singleDataset bool   // HeldOut is one sample, from which the labeled positives were selected
}

// Trained returns the classifier as a method returns it.
func (f *Fitted) Trained() *learn.Trained {
	out := &learn.Trained{Members: f.Members}
	if f.Pseudo != nil {
		out.Prior = f.Pseudo.Prior
	}
	return out
}

// trained returns the classifier of a fit that may have failed.
func trained(f *Fitted, err error) (*learn.Trained, error) {
	if err != nil {
		return nil, err
	}
	return f.Trained(), nil
}

// Doubt returns a sentence if the clusters of [Algorithm1] are most likely not the classes, else "". It requires no
// negative: [pseudo.Label] labels the unlabeled examples without assuming clusters. If it differs from the clusters on
// more than [pseudo.MaxDisagreement] of them, at least one of both is wrong, and usually the clusters are. Both can be
// wrong in the same way, above all with few labels; pseudo.MaxDisagreement states how often.
//
// It returns an error if nothing was clustered, or the error of pseudo.Label.
func (f *Fitted) Doubt(config pseudo.Config) (string, error) {
	if f.Clusters == nil || len(f.Embeddings) == 0 {
		return "", fmt.Errorf("contrast: there are no clusters to doubt; only Algorithm1 makes them")
	}
	labels, err := pseudo.Label(rows.Unit(f.Embeddings[0].H), f.labeled, config)
	if err != nil {
		return "", fmt.Errorf("contrast: labeling without clusters: %w", err)
	}
	share, err := labels.Disagreement(f.Clusters.Positive, f.labeled)
	if err != nil || share <= pseudo.MaxDisagreement {
		return "", err
	}
	return fmt.Sprintf("the two clusters are most likely not the classes: a labeler that supposes no clusters labels "+
		"%.0f%% of the unlabeled examples otherwise, and more than %.0f%% is a warning: use Mixture or CrossFit",
		100*share, 100*pseudo.MaxDisagreement), nil
}
