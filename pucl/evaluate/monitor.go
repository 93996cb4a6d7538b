package evaluate

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// PUReading is what a [KNN] over a bank of labeled positives makes of held-out PU data. No true class is behind it.
type PUReading struct {
	PU
	Bank string // what the bank knows
}

// String names the bank and gives the measures.
func (r PUReading) String() string { return "kNN over " + r.Bank + ", " + r.PU.String() }

// BinaryReading is what a [KNN] makes of examples whose true classes are shown to it, positive or negative.
type BinaryReading struct {
	Binary
	Bank string // what the bank knows
}

// String names the bank, says that true classes were looked at, and gives the measures.
func (r BinaryReading) String() string {
	return "kNN over " + r.Bank + ", judged by true classes: " + r.Binary.String()
}

// ClassesReading is what a [KNN] makes of examples whose true classes are shown to it, one of several.
type ClassesReading struct {
	Classes
	Bank string // what the bank knows
}

// String names the bank, says that true classes were looked at, and gives the measures.
func (r ClassesReading) String() string {
	return "kNN over " + r.Bank + ", judged by true classes: " + r.Classes.String()
}

// ReadPU watches an encoder without looking at one true class: the bank knows [LabeledPositives] of the training set, rows
// and labeled are held-out PU data. The score of an example is the share of the votes for "labeled positive".
//
// With a prior in config, the threshold is where that share of the population (see [ScoreConfig]) lies above. Without one it
// is half of the votes, which means little, since positives are among the unlabeled; the proxy AUC needs none.
//
// A bank that knows true classes is refused: what comes out would no longer be a measure without negatives.
func (c KNN) ReadPU(bank *Bank, rows *mat.Dense, labeled []bool, config ScoreConfig) (PUReading, error) {
	if err := bank.check(); err != nil {
		return PUReading{}, err
	}
	if bank.supervised {
		return PUReading{}, fmt.Errorf("evaluate: the bank knows %s; reading without negatives takes one made by LabeledPositives", bank)
	}
	if err := checkOneEach(rows, len(labeled), "labels"); err != nil {
		return PUReading{}, err
	}
	scores, err := c.positiveVotes(bank, rows)
	if err != nil {
		return PUReading{}, err
	}
	threshold := 0.5
	if config.Prior > 0 {
		var population []float64
		for i, s := range scores {
			if config.SingleDataset || !labeled[i] {
				population = append(population, s)
			}
		}
		if len(population) > 0 {
			if threshold, err = Threshold(population, config.Prior); err != nil {
				return PUReading{}, err
			}
		}
	}
	s, err := ScorePU(scores, labeled, threshold, config)
	return PUReading{PU: s, Bank: bank.String()}, err
}

// ReadBinary judges the votes for class 1 of a bank of two classes by the true classes of rows, positive above threshold:
// 0.5 for a supervised bank, what [Threshold] finds for one of labeled positives.
func (c KNN) ReadBinary(bank *Bank, rows *mat.Dense, truth []bool, threshold float64) (BinaryReading, error) {
	if err := checkOneEach(rows, len(truth), "true classes"); err != nil {
		return BinaryReading{}, err
	}
	scores, err := c.positiveVotes(bank, rows)
	if err != nil {
		return BinaryReading{}, err
	}
	b, err := ScoreBinary(scores, truth, threshold)
	return BinaryReading{Binary: b, Bank: bank.String()}, err
}

// ReadClasses judges the predictions of a supervised bank by the true classes of rows. A bank of labeled positives knows no
// true classes and is refused.
func (c KNN) ReadClasses(bank *Bank, rows *mat.Dense, truth []int) (ClassesReading, error) {
	if err := bank.check(); err != nil {
		return ClassesReading{}, err
	}
	if !bank.supervised {
		return ClassesReading{}, fmt.Errorf("evaluate: the bank knows %s, so it predicts no true classes; "+
			"take ReadPU or ReadBinary, or a bank of Supervised", bank)
	}
	if err := checkOneEach(rows, len(truth), "true classes"); err != nil {
		return ClassesReading{}, err
	}
	predicted, err := c.Predict(bank, rows)
	if err != nil {
		return ClassesReading{}, err
	}
	s, err := ScoreClasses(predicted, truth, bank.count)
	return ClassesReading{Classes: s, Bank: bank.String()}, err
}

// positiveVotes are the shares of the votes for class 1 of 2.
func (c KNN) positiveVotes(bank *Bank, rows *mat.Dense) ([]float64, error) {
	if err := bank.check(); err != nil {
		return nil, err
	}
	if bank.count != 2 {
		return nil, fmt.Errorf("evaluate: the bank has %d classes; positive against negative takes 2, more go through ReadClasses",
			bank.count)
	}
	votes, err := c.Votes(bank, rows)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 1, votes), nil
}
