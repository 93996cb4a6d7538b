// Package gomlxdata hands data sets to GoMLX and takes them from it: a training loop of GoMLX reads a train.Dataset, and
// this package makes one of [datasets.Batches] ([FromBatches]) and of [datasets.Images] ([FromImages]), and Images of one
// ([ToImages]).
//
// It is apart from the package datasets because that one needs the standard library only.
package gomlxdata
