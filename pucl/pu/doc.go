// Package pu is the main entry point: it trains a classifier on a folder of images, a table or an array with a few
// labeled positives.
//
//	data, err := pu.OpenFolder("pictures", pu.FolderConfig{}) // or OpenTable, Features, Images
//	model, err := pu.Fit(ctx, data, pu.Config{Seed: 1})       // chooses a method; Config.Method names another one
//	p, err := model.Predict(test)                             // probabilities of the positive class
//	err = model.Save("shoes.classifier")                      // Load reads it back
//
// [Fit] trains any [Method]: [Tabular], [Trees], [Logistic] and [Linear] for rows, [Algorithm1], [Mixture], [RiskProbe]
// and [CrossFit] of package contrast for images and rows, and [Baseline] for the published methods of package baseline.
// [Compare] compares methods on a test set, [EstimatePrior] estimates the class prior. Classifier.WriteONNX writes a
// classifier for programs without Go.
//
// No method uses a true class. Without labeled negatives a classifier cannot be verified: Classifier.Info.Doubts, which
// String prints, lists the reasons to distrust it.
package pu
