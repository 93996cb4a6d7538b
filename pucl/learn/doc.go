// Package learn holds the types that all methods of learning from positive and unlabeled data share:
//
//   - [Dataset] is a set of images or table rows, some of which are labeled positives.
//   - [Method] trains on the [Data] of a data set, which contain no true class.
//   - [Classifier] is the result. It predicts from raw input, and can be saved and loaded.
//
// Programs import the package pu, which re-exports these types and opens data, trains, compares and loads. Authors of a
// new method implement [Method].
package learn
