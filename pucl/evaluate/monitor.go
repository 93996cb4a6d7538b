package evaluate

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// PUReading is the result of a [KNN] over a bank of labeled positives on held-out PU data. It depends on no true class.
type PUReading struct {
	PU
	Bank string // description of the bank
}

// String returns the bank and the measures.
func (r PUReading) String() string { return "kNN over " + r.Bank + ", " + r.PU.String() }

// BinaryReading is the result of a [KNN] on examples with known true classes, positive or negative.
type BinaryReading struct {
	Binary
	Bank string // description of the bank
}

// String returns the bank, a note that true classes were used, and the measures.
func (r BinaryReading) String() string {
	return "kNN over " + r.Bank + ", judged by true classes: " + r.Binary.String()
}

// ClassesReading is the result of a [KNN] on examples with known true classes, one of several.
type ClassesReading struct {
	Classes
	Bank string // description of the bank
}

// String returns the bank, a note that true classes were used, and the measures.
func (r ClassesReading) String() string {
	return "kNN over " + r.Bank + ", judged by true classes: " + r.Classes.String()
}

// ReadPU evaluates an encoder without true classes. The bank holds [LabeledPositives] of the training set; x [n, d] and
// labeled [n] are held-out PU data. The score of an example is the share of its votes for "labeled positive".
//
// With a prior in config, the threshold leaves that share of the population (see [ScoreConfig]) above. Without a prior
// it is half of the votes, which means little, because the unlabeled rows contain positives; the proxy AUC needs no
// threshold.
//
// A bank of true classes is an error, because the result would not be a measure without negatives.
func (c KNN) ReadPU(bank *Bank, x *mat.Dense, labeled []bool, config ScoreConfig) (PUReading, error) {
	if err := bank.check(); err != nil {
		return PUReading{}, err
	}
	if bank.supervised {
		return PUReading{}, fmt.Errorf("evaluate: the bank knows %s; reading without negatives takes one made by LabeledPositives", bank)
	}
	scores, err := c.positiveVotes(bank, x, len(labeled), "labels")
	if err != nil {
		return PUReading{}, err
	}
	threshold := 0.5
	var population []float64
	for i, s := range scores {
		if config.SingleDataset || !labeled[i] {
			population = append(population, s)
		}
	}
	if config.Prior > 0 && len(population) > 0 {
		if threshold, err = Threshold(population, config.Prior); err != nil {
			return PUReading{}, err
		}
	}
	s, err := ScorePU(scores, labeled, threshold, config)
	return PUReading{PU: s, Bank: bank.String()}, err
}

// ReadBinary evaluates the votes for class 1 of a bank of two classes against the true classes [n] of the rows of x [n,
// d]. An example is predicted positive above threshold: use 0.5 for a supervised bank and [Threshold] for a bank of
// labeled positives.
func (c KNN) ReadBinary(bank *Bank, x *mat.Dense, truth []bool, threshold float64) (BinaryReading, error) {
	scores, err := c.positiveVotes(bank, x, len(truth), "true classes")
	if err != nil {
		return BinaryReading{}, err
	}
	b, err := ScoreBinary(scores, truth, threshold)
	return BinaryReading{Binary: b, Bank: bank.String()}, err
}

// ReadClasses evaluates the predictions of a supervised bank against the true classes [n] of the rows of x [n, d]. A
// bank of labeled positives is an error.
func (c KNN) ReadClasses(bank *Bank, x *mat.Dense, truth []int) (ClassesReading, error) {
	if err := bank.check(); err != nil {
		return ClassesReading{}, err
	}
	if !bank.supervised {
		return ClassesReading{}, fmt.Errorf("evaluate: the bank knows %s, so it predicts no true classes; take ReadPU or ReadBinary, "+
			"or a bank of Supervised", bank)
	}
	if _, _, err := rows.Check(x, len(truth), "true classes"); err != nil {
		return ClassesReading{}, err
	}
	predicted, err := c.Predict(bank, x)
	if err != nil {
		return ClassesReading{}, err
	}
	s, err := ScoreClasses(predicted, truth, bank.count)
	return ClassesReading{Classes: s, Bank: bank.String()}, err
}

// positiveVotes returns the shares of the votes for class 1 of 2. The rows of x must number n; what names the n items
// in an error.
func (c KNN) positiveVotes(bank *Bank, x *mat.Dense, n int, what string) ([]float64, error) {
	if err := bank.check(); err != nil {
		return nil, err
	}
	if _, _, err := rows.Check(x, n, what); err != nil {
		return nil, err
	}
	if bank.count != 2 {
		return nil, fmt.Errorf("evaluate: the bank has %d classes; positive against negative takes 2, more go through ReadClasses", bank.count)
	}
	votes, err := c.Votes(bank, x)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 1, votes), nil
}
