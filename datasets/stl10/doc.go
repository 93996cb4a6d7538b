// Package stl10 reads STL-10 in its binary form: color images of 96×96 pixels, 5,000 to learn from and 8,000 to test on
// in ten classes, and 100,000 more without a class.
//
// [Load] reads a part into memory. [Open] leaves it on disk and reads one image at a time: the unlabeled part has 2.8 GB.
// What Open gives is a datasets.Source, so datasets.Stream reads it ahead in parallel, in any order.
//
// Source: Coates, Lee and Ng, "An Analysis of Single-Layer Networks in Unsupervised Feature Learning", AISTATS 2011.
package stl10
