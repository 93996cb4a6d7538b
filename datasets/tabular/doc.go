// Package tabular reads features that a user has already, a row of numbers for each example: CSV files ([ReadCSV]) and
// NumPy's .npy files ([ReadNPY], [LoadNPY]). It also makes the random views without which contrastive learning has
// nothing to compare on tables ([Corruption]), and cuts them into the batches of training ([NewBatches]).
//
// Nothing is guessed: a missing value, a number that is not finite and a row of another length are errors that name the
// place, since a hole filled in silently would end up in every result.
package tabular
