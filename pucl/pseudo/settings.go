package pseudo

// Settings returns candidates for [Choose]: base, and base with one field changed, from none or few to many, for
// Landmarks, Trim and Folds in turn. Values that base already has are omitted; the zero base gives 13 candidates.
// HeldOut, Prior and Seed are those of base. The list is not known to be optimal. Each candidate costs a call of
// [Label]; more landmarks take longer.
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
