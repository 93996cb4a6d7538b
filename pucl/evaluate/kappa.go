package evaluate

// Kappa returns Cohen's κ of two binary predictions of each example: their agreement beyond that of independent
// predictions. It needs no labels, for example for predictions of two views of one image. With the share p of equal
// predictions and the share c expected by chance from the positive rates, κ = (p−c)/(1−c): 1 if all are equal, 0 at
// chance level. If both predictions are constant and equal, κ is 0.
//
// It is an error if the lengths differ or if there are no examples.
//
// Source: J. Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
func Kappa(a, b []bool) (float64, error) {
	c, err := Count(a, b) // the order of a and b does not matter
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
