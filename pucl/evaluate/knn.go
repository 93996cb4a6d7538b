package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
)

// KNN is the weighted nearest-neighbour classifier by which contrastive learning is watched: each of the K rows of a [Bank]
// of highest cosine similarity s to a query votes for its class with weight exp(s/τ). The zero value works; its K and τ are
// those of the code that was published with "Contrastive Positive Unlabeled Learning".
//
// Source: Z. Wu, Y. Xiong, S. Yu and D. Lin, "Unsupervised Feature Learning via Non-Parametric Instance Discrimination"
// (2018), section 3.4.
type KNN struct {
	K           int     // neighbours; 0 means 200, or all rows of a smaller bank
	Temperature float64 // τ; 0 means 0.1
	BlockRows   int     // queries compared at once with as many as 4096 rows of the bank; 0 means 256

	// Engine computes the similarities, in float32; nil means the processor, in float64.
	Engine *engine.Engine
}

// bankRows is how many rows of the bank are compared at once: memory grows with neither the bank nor the queries.
const bankRows = 4096

// Votes returns, for queries [n, d], the share of the votes for each class, [n, classes]; rows sum to 1. Embeddings need no
// unit length. Of equally similar rows the first of the bank counts as nearer.
func (c KNN) Votes(bank *Bank, queries *mat.Dense) (votes *mat.Dense, err error) {
	lengths, err := rowLengths(queries)
	if err != nil {
		return nil, err
	}
	if c, err = c.check(bank, queries); err != nil {
		return nil, err
	}
	product, done, err := c.products(bank)
	if err != nil {
		return nil, err
	}
	defer func() {
		if freed := done(); err == nil && freed != nil {
			err = fmt.Errorf("evaluate: freeing the bank on the engine: %w", freed)
		}
	}()

	n, d := queries.Dims()
	votes = mat.NewDense(n, bank.count, nil)
	for first := 0; first < n; first += c.BlockRows {
		end := min(first+c.BlockRows, n)
		block := mat.NewDense(end-first, d, nil)
		for i := first; i < end; i++ {
			for j, x := range queries.RawRowView(i) {
				block.Set(i-first, j, x/lengths[i])
			}
		}
		nearest := make([]neighbours, end-first)
		for b := 0; b < bank.Len(); b += bankRows {
			similarities, err := product(block, b, min(b+bankRows, bank.Len()))
			if err != nil {
				return nil, fmt.Errorf("evaluate: comparing embeddings with the bank: %w", err)
			}
			inParallel(len(nearest), func(i int) { nearest[i].add(similarities(i), b, c.K) })
		}
		inParallel(len(nearest), func(i int) { nearest[i].vote(votes.RawRowView(first+i), bank, c) })
	}
	return votes, nil
}

// check fills in the zero fields for bank and refuses what cannot be done.
func (c KNN) check(bank *Bank, queries *mat.Dense) (KNN, error) {
	if err := bank.check(); err != nil {
		return c, err
	}
	_, d := queries.Dims()
	if _, k := bank.rows.Dims(); d != k {
		return c, fmt.Errorf("evaluate: queries have %d entries, the rows of the bank %d; embed both with the same model", d, k)
	}
	if c.K == 0 {
		c.K = min(200, bank.Len())
	}
	if c.Temperature == 0 {
		c.Temperature = 0.1
	}
	if c.BlockRows == 0 {
		c.BlockRows = 256
	}
	switch {
	case c.K < 0 || c.K > bank.Len():
		return c, fmt.Errorf("evaluate: %d neighbours in a bank of %d rows; K must be from 1 to the number of rows",
			c.K, bank.Len())
	case !(c.Temperature > 0) || math.IsInf(c.Temperature, 0):
		return c, fmt.Errorf("evaluate: temperature %g; it divides the similarities and must be positive (0.1 is usual)", c.Temperature)
	case c.BlockRows < 0:
		return c, fmt.Errorf("evaluate: blocks of %d queries; BlockRows must be positive, or 0 for 256", c.BlockRows)
	}
	return c, nil
}

// Predict returns the class with the most votes for every query; of equals the one with the smaller number.
func (c KNN) Predict(bank *Bank, queries *mat.Dense) ([]int, error) {
	votes, err := c.Votes(bank, queries)
	if err != nil {
		return nil, err
	}
	n, _ := votes.Dims()
	predicted := make([]int, n)
	for i := range predicted {
		for class, v := range votes.RawRowView(i) {
			if v > votes.At(i, predicted[i]) {
				predicted[i] = class
			}
		}
	}
	return predicted, nil
}

// neighbours are the nearest rows of the bank found so far.
type neighbours struct {
	found []neighbour
	floor float64 // similarity that a further row must exceed; holds once found has been cut to k
	full  bool
}

type neighbour struct {
	similarity float64
	row        int
}

// add takes in the similarities with the bank's rows from first on. It lets up to 2k candidates gather before it sorts them
// and keeps k, so that most rows cost one comparison.
func (n *neighbours) add(similarities []float64, first, k int) {
	for j, s := range similarities {
		if n.full && s <= n.floor {
			continue
		}
		if n.found = append(n.found, neighbour{s, first + j}); len(n.found) == 2*k {
			n.cut(k)
		}
	}
}

// cut keeps the k nearest, in order.
func (n *neighbours) cut(k int) {
	slices.SortFunc(n.found, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.row, b.row))
	})
	n.found = n.found[:k]
	n.floor, n.full = n.found[k-1].similarity, true
}

// vote writes the shares of the votes into shares.
func (n *neighbours) vote(shares []float64, bank *Bank, c KNN) {
	n.cut(c.K)
	total := 0.0
	for _, found := range n.found {
		// Relative to the nearest row, so that no temperature makes the weights overflow.
		weight := math.Exp((found.similarity - n.found[0].similarity) / c.Temperature)
		shares[bank.classes[found.row]] += weight
		total += weight
	}
	for class := range shares {
		shares[class] /= total
	}
}

// inParallel calls work for 0 to n−1 on all processors and waits for all.
func inParallel(n int, work func(i int)) {
	var all sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	for w := range workers {
		all.Go(func() {
			for i := w; i < n; i += workers {
				work(i)
			}
		})
	}
	all.Wait()
}
