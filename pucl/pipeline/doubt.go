package pipeline

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/rows"
)

// Doubt says in a sentence that the two clusters of a run are not the classes, and nothing, "", where no sign of that is seen. No negative
// is looked at: [pseudo.Label] labels the examples by what the encoder makes of them without supposing clusters, and where it differs from the
// clusters on more than [pseudo.MaxDisagreement] of the unlabeled examples, at least one of both is wrong, mostly the clusters. Both may be
// wrong alike, with few labels above all; pseudo.MaxDisagreement tells how often.
//
// It is an error if nothing was clustered, as Config.Risk was given, or one of pseudo.Label.
func (r *Result) Doubt(config pseudo.Config) (string, error) {
	if r.Clusters == nil || r.Embedding == nil {
		return "", errors.New("pipeline: there are no clusters to doubt; leave Config.Risk nil, and take what Run or Fit returns")
	}
	labels, err := pseudo.Label(rows.Unit(r.Embedding.H), r.labeled, config)
	if err != nil {
		return "", fmt.Errorf("pipeline: labeling without clusters: %w", err)
	}
	share, err := labels.Disagreement(r.Clusters.Positive, r.labeled)
	if err != nil {
		return "", fmt.Errorf("pipeline: %w", err)
	}
	if share <= pseudo.MaxDisagreement {
		return "", nil
	}
	mend := "cluster the Projections, or take CrossFit"
	if r.space == Projections {
		mend = "take CrossFit"
	}
	return fmt.Sprintf("the two clusters are most likely not the classes: a labeler that supposes no clusters labels %.0f%% of the unlabeled "+
		"examples otherwise, and more than %.0f%% is a warning; %s", 100*share, 100*pseudo.MaxDisagreement, mend), nil
}
