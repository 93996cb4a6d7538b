// Package papers holds the tables of the papers as grids of runs: what is trained on what, the published numbers and their
// sources, and the claims that they test.
//
//	grid, err := papers.Find("table-1", experiment.Laptop) // to be run by package experiment
//
// # Protocol
//
// All runs of all tables are made and judged alike. Those of figures over the share of labels are [Watched] instead: judged more often, by what
// knows all classes, as the figures of the paper are.
//
//   - A tenth of the training images, class by class, is held out. From the rest n_P positives are labeled, as many of each
//     positive class, and all of the rest, the labeled images again among them, is unlabeled: the paper's case-control setting.
//     So there is one class prior, that of the data set, among the unlabeled, the held-out and the test images.
//   - Points along a run are judged: a pretrained encoder after every fifth of its steps, by each of several heads, a baseline after
//     every epoch. A head learns from the same labeled and unlabeled images as the encoder.
//   - The point that stands for a run is chosen by a rule of package experiment: the last one; the best by a proxy, which is told
//     nothing of the held-out images but a tenth of n_P further labels, and for the proxy accuracy the class prior; or the best on
//     the test images, the oracle. No other rule looks at test images, which else are for what is reported.
//   - Holding out, labels, batches, weights and views follow from the seed of the run. No number was tuned on test images.
package papers
