// Package reduce performs dimensionality reduction of rows such as embeddings, for drawing or comparison. [PCA]
// projects rows, including new ones. [TSNE] preserves neighborhoods. [AlignSequence] rotates the maps of a changing
// embedding so that they can be compared by eye. Package viz draws the results.
//
// Data are matrices with one example per row; no function changes them. Results depend only on the arguments.
package reduce
