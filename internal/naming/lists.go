package naming

// Claims lists the claims of theory. The tests of theory/claims compare the two lists.
func Claims() []string {
	return []string{
		"theorem-1", "theorem-1-repaired", "theorem-2-unbiased", "theorem-2-inequality", "theorem-2-variance", "theorem-2-variance-repaired",
		"theorem-2-monotone", "theorem-3", "theorem-3-repaired", "theorem-4", "theorem-4-repaired", "theorem-4-variance", "lemma-1",
		"lemma-1-repaired", "lemma-2", "lemma-3", "noise-rate", "hypercube", "pupl-variants", "bias-supervision", "equation-24", "sphere-radius",
		"ideal-sign", "scl-consistent", "scl-variance", "variance-convergence", "pucl-mcl", "loss-code", "prior-error", "label-variance",
		"prior-one", "naive-boundary", "single-dataset", "rounds-decrease", "pupl-almost-surely", "pupl-linear", "positives-together",
		"sampling-bias", "dcl-decomposition", "dcl-limit", "dcl-limit-repaired", "infonce-mi", "loss-directions", "temperature-limits",
		"inner-product", "aligned-uniform", "mak-budget", "lpos-identity", "lpos-recovers", "lpos-limit", "lpos-limit-repaired", "lpos-mi",
		"lpos-mi-repaired", "pu-debiased-bias", "pu-debiased-prior", "pu-debiased-error",
	}
}

// Grids lists the grids of runs. The tests of notebooks/papers compare the two lists.
func Grids() []string {
	return []string{
		"components", "corruption-rates", "debiased", "debiased-pos", "figure-1", "figure-10", "figure-3", "figure-4", "figure-5", "figure-8", "figure-9",
		"gaussians", "geometry", "labeler", "labels", "mak", "priors-on-tables", "prototype", "question-answering", "recovery", "rivals-on-tables", "sampling-bias",
		"table-1", "table-2", "uneven-labels", "uneven-priors", "without-prior",
	}
}

// Sizes lists the sizes of the runs of a grid. The tests of notebooks/experiment compare the two lists.
func Sizes() []string { return []string{"smoke", "laptop", "paper"} }
