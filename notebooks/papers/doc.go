// Package papers holds the tables of the papers as grids of runs: their training, the published numbers with sources,
// and the claims that they test.
//
//	grid, err := papers.Find("table-1", experiment.Laptop) // to be run by package experiment
//
// # Protocol
//
// All runs of all tables have the same data and evaluation protocol. Runs of figures over the share of labels are
// [Watched] instead: they are evaluated more often, with fully labeled data, as in the paper's figures.
//
//   - A tenth of the training images of each class is held out. From the rest n_P positives are labeled, equally many
//     of each positive class. All of the rest, including the labeled images, is unlabeled: the paper's case-control
//     setting. The unlabeled, the held-out and the test images therefore share one class prior, the data set's.
//   - Runs are evaluated at several points: a pretrained encoder after every fifth of its steps, by each of several
//     heads, a baseline after every epoch. A head is trained on the same labeled and unlabeled images as the encoder.
//   - A rule of package experiment selects the point that represents a run: the last one; the best by a proxy; or the
//     best on the test images, the oracle. A proxy uses the held-out images with only a tenth of n_P further labels,
//     and the proxy accuracy also the class prior. No other rule uses test images; they are otherwise only for reported
//     results.
//   - The seed of the run determines held-out images, labels, batches, weights and views. No parameter was tuned on
//     test images.
package papers
