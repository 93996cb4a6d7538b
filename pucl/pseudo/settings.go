package pseudo

// Settings returns candidates for [Choose], 13 of the zero base: base as it is, and base with one field set to another number, from none or few
// to many, for Landmarks, Trim and Folds in turn; a number that base has is left out. HeldOut, Prior and Seed are those of base in all of them.
// Nothing proves these the best to try; each costs a call of [Label], those with more landmarks a longer one.
//
//	chosen, err := pseudo.Choose(x, labeled, pseudo.Settings(pseudo.Config{HeldOut: held, Seed: 1})...)
func Settings(base Config) []Config {
	all, before := []Config{base}, base.withDefaults()
	add := func(change func(*Config)) {
		c := base
		change(&c)
		if now := c.withDefaults(); now.Landmarks != before.Landmarks || now.Trim != before.Trim || now.Folds != before.Folds {
			all = append(all, c)
		}
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
