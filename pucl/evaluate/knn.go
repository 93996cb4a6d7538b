package evaluate

import (
	"cmp"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/parallel"
	"github.com/puclab/puclab/pucl/rows"
)

// KNN is the weighted nearest-neighbor classifier for monitoring contrastive learning. Each of the K rows of a [Bank]
// with the highest cosine similarity s to a query votes for its class with weight exp(s/τ). The zero value is usable;
// its K and τ are those of the code published with "Contrastive Positive Unlabeled Learning".
//
// Source: Z. Wu, Y. Xiong, S. Yu and D. Lin, "Unsupervised Feature Learning via Non-Parametric Instance Discrimination"
// (2018), section 3.4.
type KNN struct {
	K           int     // neighbors; 0 means 200, or all rows of a smaller bank
	Temperature float64 // τ; 0 means 0.1
	BlockRows   int     // queries per block, compared with up to 4096 bank rows; 0 means 1024, fewer for K > 1024

	// Engine computes the similarities, in float32; nil means the processor, in float64.
	Engine *engine.Engine
}

// bankRows is the largest number of bank rows compared at once. It bounds the memory, whatever the number of bank rows
// and queries.
const bankRows = 4096

// parts yields the first row and the end of each part of n rows; no part has more than most rows. All parts have the
// same size except the last, which is little smaller, because the engine compiles for each size.
func parts(n, most int) iter.Seq2[int, int] {
	number := (n + most - 1) / most
	size := (n + number - 1) / number
	return func(yield func(first, end int) bool) {
		for first := 0; first < n && yield(first, min(first+size, n)); first += size {
		}
	}
}

// Votes returns, for queries [n, d], the share of the votes for each class, [n, classes]; rows sum to 1. Embeddings
// need no unit length. Of equally similar bank rows the first counts as nearer.
func (c KNN) Votes(bank *Bank, queries *mat.Dense) (votes *mat.Dense, err error) {
	if _, err := rowLengths(queries); err != nil {
		return nil, err
	}
	if c, err = c.check(bank, queries); err != nil {
		return nil, err
	}
	compare := onProcessor(bank)
	if c.Engine != nil {
		var free func() error
		if compare, free, err = onEngine(bank, c.Engine); err != nil {
			return nil, err
		}
		defer func() {
			if freed := free(); err == nil && freed != nil {
				err = fmt.Errorf("evaluate: freeing the bank on the engine: %w", freed)
			}
		}()
	}
	n, d := queries.Dims()
	votes = mat.NewDense(n, bank.count, nil)
	for first, end := range parts(n, c.BlockRows) {
		nearest := newNeighborLists(end-first, c.K, bank.Len())
		if err := compare(rows.Unit(queries.Slice(first, end, 0, d).(*mat.Dense)), nearest); err != nil {
			return nil, fmt.Errorf("evaluate: comparing embeddings with the bank: %w", err)
		}
		parallel.Each(len(nearest), func(i int) { nearest[i].vote(votes.RawRowView(first+i), bank, c) })
	}
	return votes, nil
}

// check sets the zero fields to their defaults. It is an error if bank and queries do not fit, or if a field is out of
// range.
func (c KNN) check(bank *Bank, queries *mat.Dense) (KNN, error) {
	if err := bank.check(); err != nil {
		return c, err
	}
	_, d := queries.Dims()
	if _, k := bank.x.Dims(); d != k {
		return c, fmt.Errorf("evaluate: queries have %d entries, the rows of the bank %d; embed both with the same model", d, k)
	}
	c.K, c.Temperature = cmp.Or(c.K, min(200, bank.Len())), cmp.Or(c.Temperature, 0.1)
	switch {
	case c.K < 0 || c.K > bank.Len():
		return c, fmt.Errorf("evaluate: %d neighbors in a bank of %d rows; K must be from 1 to the number of rows", c.K, bank.Len())
	case !(c.Temperature > 0) || math.IsInf(c.Temperature, 0):
		return c, fmt.Errorf("evaluate: temperature %g; it divides the similarities and must be positive (0.1 is usual)", c.Temperature)
	case c.BlockRows < 0:
		return c, fmt.Errorf("evaluate: blocks of %d queries; BlockRows must be positive, or 0 to let it be chosen", c.BlockRows)
	case c.BlockRows == 0:
		c.BlockRows = min(1024, max(16, (1<<20)/c.K)) // the lists of neighbors stay below 32 MB
	}
	return c, nil
}

// Predict returns the class with the most votes for every query; of tied classes the smallest number.
func (c KNN) Predict(bank *Bank, queries *mat.Dense) ([]int, error) {
	votes, err := c.Votes(bank, queries)
	if err != nil {
		return nil, err
	}
	n, _ := votes.Dims()
	predicted := make([]int, n)
	for i := range predicted {
		predicted[i] = floats.MaxIdx(votes.RawRowView(i))
	}
	return predicted, nil
}
