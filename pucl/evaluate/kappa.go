package evaluate

// Kappa returns Cohen's κ of two predictions of each example: how far they agree beyond what two that know nothing of each other would,
// as of two views of one image by the same classifier, which needs no label at all. With the share of equal predictions p and the
// one by chance c, which follows from how often each predicts positive, it is (p−c)/(1−c): 1 where all are equal, 0 by chance. Where
// both give one and the same answer to everything, of which agreement says nothing, it is 0.
//
// It is an error if the lengths differ or there is no example.
//
// Source: J. Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
func Kappa(a, b []bool) (float64, error) {
	c, err := Count(a, b) // which of the two is called truth does not matter
	if err != nil {
		return 0, err
	}
	first, second := c.Predicted(), share(c.TruePositive+c.FalseNegative, c.N())
	chance := first*second + (1-first)*(1-second)
	if chance == 1 {
		return 0, nil
	}
	return (c.Accuracy() - chance) / (1 - chance), nil
}
