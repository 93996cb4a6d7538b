package answers

// Preset is a case of interest. The page opens with the first one of a theorem.
type Preset struct {
	Theorem int     `json:"theorem"`
	Name    string  `json:"name"`
	Circle  *Circle `json:"circle,omitempty"`
	Plane   *Plane  `json:"plane,omitempty"`
}

// Presets lists the cases that the page offers.
func Presets() []Preset {
	circle := func(theorem int, name string, c Circle) Preset {
		c.Theorem = theorem
		return Preset{Theorem: theorem, Name: name, Circle: &c}
	}
	plane := func(name string, p Plane) Preset { return Preset{Theorem: 3, Name: name, Plane: &p} }
	return []Preset{
		circle(1, "Two positives, one negative", Circle{Positive: []float64{0, 50}, Negative: []float64{180},
			Prior: 0.5, Labeled: 2, Unlabeled: 2, Tau: 1, Loss: Loss{Name: "SCL-PU"}}),
		circle(1, "Two points: the smallest counterexample", Circle{Positive: []float64{0}, Negative: []float64{180},
			Prior: 0.5, Labeled: 1, Unlabeled: 1, Tau: 1, Loss: Loss{Name: "SCL-PU"}}),
		circle(1, "Nothing labeled", Circle{Positive: []float64{0, 50}, Negative: []float64{180},
			Prior: 0.5, Unlabeled: 3, Tau: 1, Loss: Loss{Name: "SCL-PU"}}),
		circle(2, "Two positives, one negative", Circle{Positive: []float64{0, 90}, Negative: []float64{180},
			Prior: 0.5, Labeled: 2, Unlabeled: 1, Tau: 1, Loss: Loss{Name: "PUCL"}}),
		circle(2, "Signs: the printed size is three times the true one", Circle{
			Positive: []float64{0, 180}, Negative: []float64{0, 180},
			Prior: 0.5, Labeled: 2, Unlabeled: 1, Tau: 1, Loss: Loss{Name: "PUCL"}}),
		circle(2, "Signs, identical views: PUCL varies more", Circle{Positive: []float64{0, 180}, Negative: []float64{0, 180},
			Prior: 0.5, Labeled: 2, Unlabeled: 1, Tau: 1, SameView: 1, Loss: Loss{Name: "PUCL"}}),
		plane("Labels apart: no constant bounds the ratio", Plane{
			Labeled: [][2]int64{{-10, 0}, {9, 0}}, Hidden: [][2]int64{{-10, 2}}, Negative: [][2]int64{{11, 2}, {11, -2}}}),
		plane("Labels apart, three points", Plane{
			Labeled: [][2]int64{{-10, 0}, {10, 0}}, Hidden: [][2]int64{}, Negative: [][2]int64{{11, 0}}}),
		plane("Two clusters", Plane{
			Labeled: [][2]int64{{-7, 1}, {-5, -2}}, Hidden: [][2]int64{{-6, 3}, {-3, 0}},
			Negative: [][2]int64{{4, 2}, {6, -1}, {8, 1}}}),
		plane("One label at the rim", Plane{
			Labeled: [][2]int64{{0, 0}}, Hidden: [][2]int64{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}},
			Negative: [][2]int64{{12, 0}}}),
		circle(4, "Identical views: PUCL's gradient is eight times as far off", Circle{
			Positive: []float64{0, 135}, Negative: []float64{45},
			Prior: 0.25, Labeled: 2, Unlabeled: 1, Tau: 1, SameView: 1, Loss: Loss{Name: "PUCL"}}),
		circle(4, "Independent views: the two are equal", Circle{Positive: []float64{0, 135}, Negative: []float64{45},
			Prior: 0.25, Labeled: 2, Unlabeled: 1, Tau: 1, Loss: Loss{Name: "PUCL"}}),
		circle(4, "Identical views: PUCL's gradient is the nearer one", Circle{
			Positive: []float64{0, 45}, Negative: []float64{200},
			Prior: 0.25, Labeled: 2, Unlabeled: 1, Tau: 1, SameView: 1, Loss: Loss{Name: "PUCL"}}),
	}
}
