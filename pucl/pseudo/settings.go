package pseudo

// Settings returns 13 candidates for [Choose]: base as it is, and base with one field set to another number, from none or few to many, for
// Landmarks, Trim and Folds in turn. HeldOut, Prior and Seed are those of base in all of them. Nothing proves these the best to try; each
// costs a call of [Label], those with more landmarks a longer one.
//
//	chosen, err := pseudo.Choose(x, labeled, pseudo.Settings(pseudo.Config{HeldOut: held, Seed: 1})...)
func Settings(base Config) []Config {
	all := []Config{base}
	add := func(change func(*Config)) {
		c := base
		change(&c)
		all = append(all, c)
	}
	for _, landmarks := range []int{-1, 10, 50, 500, 1000} {
		add(func(c *Config) { c.Landmarks = landmarks })
	}
	for _, trim := range []float64{-1, 0.05, 0.3, 0.5} {
		add(func(c *Config) { c.Trim = trim })
	}
	for _, folds := range []int{1, 2, 8} {
		add(func(c *Config) { c.Folds = folds })
	}
	return all
}
