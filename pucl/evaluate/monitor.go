package evaluate

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// PUReading is how a [KNN] over a bank of labeled positives does on held-out PU data. No true class is behind it.
type PUReading struct {
	PU
	Bank string // what the bank knows
}

// String names the bank and gives the measures.
func (r PUReading) String() string { return "kNN over " + r.Bank + ", " + r.PU.String() }

// BinaryReading is how a [KNN] does on examples whose true classes are known, positive or negative.
type BinaryReading struct {
	Binary
	Bank string // what the bank knows
}

// String returns the bank, a note that true classes were used, and the measures.
func (r BinaryReading) String() string {
	return "kNN over " + r.Bank + ", judged by true classes: " + r.Binary.String()
}

// ClassesReading is how a [KNN] does on examples whose true classes are known, one of several.
type ClassesReading struct {
	Classes
	Bank string // what the bank knows
}

// String returns the bank, a note that true classes were used, and the measures.
func (r ClassesReading) String() string {
	return "kNN over " + r.Bank + ", judged by true classes: " + r.Classes.String()
}

// ReadPU judges an encoder without looking at one true class: the bank knows [LabeledPositives] of the training set, x [n, d]
// and labeled [n] are held-out PU data. The score of an example is the share of the votes for "labeled positive".
//
// With a prior in config, the threshold is where that share of the population (see [ScoreConfig]) lies above. Without one it
// is half of the votes, which means little, since positives are among the unlabeled; the proxy AUC needs none.
//
// A bank that knows true classes is an error: what comes out would no longer be a measure without negatives.
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

// ReadBinary judges the votes for class 1 of a bank of two classes by the true classes [n] of the rows of x [n, d], positive
// above threshold: 0.5 for a supervised bank, what [Threshold] finds for one of labeled positives.
func (c KNN) ReadBinary(bank *Bank, x *mat.Dense, truth []bool, threshold float64) (BinaryReading, error) {
	scores, err := c.positiveVotes(bank, x, len(truth), "true classes")
	if err != nil {
		return BinaryReading{}, err
	}
	b, err := ScoreBinary(scores, truth, threshold)
	return BinaryReading{Binary: b, Bank: bank.String()}, err
}

// ReadClasses judges the predictions of a supervised bank by the true classes [n] of the rows of x [n, d]. A bank of labeled
// positives, which knows no true classes, is an error.
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

// positiveVotes returns the shares of the votes for class 1 of 2, for rows of which something is known of n.
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
