package claims

// puclStatements lists the statements of the main part.
func puclStatements() []Statement {
	return statementsOf(PUCLDocument, [][3]string{
		{"abstract", "outperforms the state of the art on standard benchmarks, and where labels are few", "– " + table2},
		{"section 1", "no robust estimator of the risk solves PU learning taken as label noise unless γ > 2π − 1", "lemma-1 " +
			"lemma-1-repaired"},
		{"section 1", "without strong structural assumptions on p(x), statistically consistent unbiased risk estimation is generally " +
			"infeasible", "– " + citation + "; the check of lemma-1 finds pairs of populations with the same data and different risks, " +
			"so that it is true where π is unknown"},
		{"section 1", "the class prior is π = p(y=1|x), and the data are the mixture π p(x|y=1) + (1−π) " +
			"p(x|y=0)", "– " + definition +
			"; p(y=1|x), which depends on x, stands for p(y=1)"},
		{"section 1", "an error ε of the prior biases the risk estimate by the order of ε", "prior-error"},
		{"footnote 1", "with an estimated prior of 1 all examples are predicted positive", "prior-one"},
		{"section 1", "the variance of the risk estimate is of order 1/n_P", "label-variance"},
		{"Figure 1 (a)", "PUCL is robust at every level of supervision, SCL-PU degrades where labels are few", "– " + empirical},
		{"Figure 1 (b)", "additional positives improve the convergence over ssCL (Theorem 4)", "theorem-4 theorem-4-repaired " +
			"theorem-4-variance"},
		{"Figure 1 (c)", "more supervision gives better linear separability", "– " + empirical},
		{"section 1, contributions", "PUPL has a constant multiplicative error, with a better constant than " +
			"k-means++", "theorem-3 theorem-3-repaired"},
		{"section 1, contributions", "2% above the state of the art on average", "– " + table2},
		{"section 2.1, (1)", "labeled examples are draws from p(x|y=1), unlabeled ones from p(x)", "– " + definition},
		{"section 2.1, (2)", "the classifier is a linear layer on an encoder", "– " + definition},
		{"footnote 3", "this is the case-control setting", "– " + definition},
		{"footnote 4", "an invariant representation maps label-preserving changes of an example alike", "– " + definition},
		{"section 2.2, (3)", "the ideal objective, and that minimizing it brings similar samples together and dissimilar ones " +
			"apart", "ideal-sign"},
		{"section 2.2", "the loss projects onto the sphere of radius 1/τ", "sphere-radius"},
		{"section 2.2", "τ balances the spread of representations", "temperature-limits"},
		{"section 2.2, (4)", "ssCL, whose Z is the partition function within the batch", "– " + definition},
		{"section 2.2", "a projection network that is thrown away helps", "– " + citation},
		{"Figure 2", "which placements of four objects on a square ssCL and PUCL prefer", "hypercube"},
		{"section 2.2.1, (5)", "SCL-PU takes unlabeled examples for negatives", "– " + definition},
		{"section 2.2.1", "the bias of SCL-PU becomes more pronounced as supervision decreases", "bias-supervision"},
		{"footnote 5", "taking unlabeled for negative is label noise with rates π/(γ+π) and 0", "noise-rate"},
		{"Theorem 1", "the bias of SCL-PU in closed form", "theorem-1 theorem-1-repaired"},
		{"section 2.2.1", "SCL-PU is better than ssCL where labels are many", "– " + empirical},
		{"section 2.2.1, (6)", "PUCL attracts labeled anchors to labeled rows and unlabeled ones to their other " +
			"view", "– " + definition},
		{"section 2.2.1, Theorem 2", "PUCL and ssCL are unbiased estimators of the ideal objective", "theorem-2-unbiased"},
		{"section 2.2.1, Theorem 2", "PUCL varies less than ssCL", "theorem-2-inequality theorem-2-variance " +
			"theorem-2-variance-repaired"},
		{"section 2.2.1, Theorem 2", "the gap in variance grows with γ", "theorem-2-monotone"},
		{"section 2.2.1", "PUCL gives better linear separability than ssCL", "– " + table1},
		{"section 2.3", "a classifier that takes unlabeled for negative deviates from the true boundary, separable features " +
			"or not", "naive-boundary"},
		{"section 2.3, (7)", "the potential of k-means; minimizing it is NP-hard", "– " + definition + ", and " + citation},
		{"Figure 3", "PUPL stays robust where PU methods with few labels do not", "– " + empirical},
		{"Table 1", "accuracies of PUPL and nnPU on three embeddings", "– " + table1},
		{"section 2.3", "k-means with a start at the labeled centroid and a drawn second center, and labels by the nearer " +
			"center", "pupl-variants"},
		{"section 2.3", "the pseudo-labels allow to learn a linear boundary", "pupl-linear"},
		{"Theorem 3", "PUPL costs 16 times the best clustering at most, k-means++ 21.55 times", "theorem-3 theorem-3-repaired"},
		{"Table 2", "accuracies of the whole method and its baselines", "– " + table2},
		{"section 3, role of γ", "PUCL is above ssCL throughout", "– " + empirical},
		{"section 3, role of γ", "SCL-PU gains with γ and degrades for small γ, as Theorem 1 has it", "bias-supervision"},
		{"section 3, role of π", "SCL-PU degrades as π approaches ½ and collapses as π approaches 1", "– " + empirical +
			"; the printed bias of Theorem 1, with its factor π(1−π), has the first and not the second"},
		{"section 3, convergence", "PUCL converges better since its bias is lower", "theorem-4 theorem-4-repaired"},
		{"section 4", "the method may fail where contrastive learning finds no clusters", "– " + empirical},
		{"Figures 4 and 11", "accuracy by γ and π", "– " + empirical},
	})
}

// puclAppendixStatements lists the statements of appendices A.1 to A.5.4.
func puclAppendixStatements() []Statement {
	return statementsOf(PUCLDocument, [][3]string{
		{"appendix A.1", "symbols", "– " + notation},
		{"appendix A.2", "related work: re-weighting, self-distillation, clustering with degenerate solutions", "– " + citation},
		{"A.3.1, (8)", "the case-control setting", "– " + definition},
		{"A.3.1", "labels within a single data set leave unlabeled data that no longer show the mixture", "single-dataset"},
		{"A.3.1", "contrastive learning does not mind which of the two settings it is", "– " + empirical},
		{"A.3.2, (9), (10), (11)", "learning with class-dependent label noise, and PU learning as such", "– " + definition},
		{"A.3.2, (12)", "the noise rates are π/(γ+π) and 0", "noise-rate"},
		{"A.3.2, Definition 1", "the breakdown point", "– " + definition},
		{"A.3.2, Lemma 1", "no robust estimator bounds the error of the risk if γ ≤ 2π − 1; the share of wrong labels is " +
			"π/(1+γ)", "lemma-1 lemma-1-repaired"},
		{"A.3.3", "without additional assumptions the problem with label noise cannot be solved when γ ≤ 2π − 1", "lemma-1 " +
			"lemma-1-repaired"},
		{"A.3.3", "labeled examples are positive: p(ỹ=y=1|x∈P) = 1", "– " + definition + ", by (1); the rates (12) have it as ξ_N = 0"},
		{"A.3.3", "uPU is an unbiased estimate of the risk", "lemma-1-repaired"},
		{"A.3.3, (13)", "nnPU clips the negative part at 0", "– " + definition},
		{"A.3.3", "clipping improves results", "– " + citation},
		{"A.3.3", "an error of the prior biases the estimate by its order", "prior-error"},
		{"A.3.3", "with few labels R_P varies more, so that the estimate's variance is of order 1/n_P", "label-variance"},
		{"A.4, Algorithm 1(A)", "the loss, made of log P_ij, is PUCL", "loss-code"},
		{"A.4, Algorithm 1(B)", "seeding, labels, centers", "pupl-variants"},
		{"A.4, Algorithm 1(C)", "cross-entropy on pseudo-labels", "– " + definition},
		{"A.5, summary", "contrastive learning gives linear separability", "aligned-uniform"},
		{"A.5, summary", "PUCL is unbiased and more efficient than ssCL", "theorem-2-unbiased theorem-2-inequality"},
		{"A.5.1, Figure 5", "PUCL interpolates between robustness and generalization", "– " + empirical},
		{"A.5.2", "where p(x) knows nothing of p(y|x), no unsupervised representation preserves the classes", "– p(x) alone " +
			"never fixes the labels; with x independent of y it is the data-processing inequality, and the four objects of " +
			"Figure 7 are the case that is checked (hypercube)"},
		{"A.5.2, (14)", "supervised contrastive learning attracts each anchor to all rows of its class", "– " + definition},
		{"A.5.2", "SCL (14) is a consistent estimator of the ideal objective (3)", "scl-consistent"},
		{"A.5.2", "SCL has a lower variance than ssCL", "scl-variance"},
		{"A.5.2, Figure 6", "embeddings by PUCL are better separable", "– " + empirical},
		{"A.5.2, Figure 7", "which placements on a square unsupervised, supervised and PU objectives prefer, and that PUCL's " +
			"are those of both", "hypercube"},
		{"A.5.2", "placing similar objects next to each other minimizes their inner product", "hypercube inner-product"},
		{"A.5.2, Figure 8", "with enough labels PUCL groups what is dissimilar, ssCL does not", "– " + empirical},
		{"A.5.2", "clustering the positives together solves positives against negatives", "positives-together"},
		{"A.5.3", "better convergence is due to the lower variance by several labeled positives", "variance-convergence " +
			"theorem-2-inequality theorem-4-variance"},
		{"Theorem 4", "the gradient of PUCL has a lower bias than that of ssCL", "theorem-4 theorem-4-repaired"},
		{"A.5.3, (15), (19)", "losses of an anchor, with a further 1/τ", "theorem-4"},
		{"A.5.3, (16)", "the derivative by z_i as an anchor is enough to compare gradients", "theorem-4"},
		{"A.5.3, (17), (18), (20), (21)", "derivatives of ssCL, PUCL and SCL by z_i", "– measured in the check of theorem-4: exact for z_i as an " +
			"anchor only, with · the inner product over τ"},
		{"A.5.3", "the last terms of the three show that PUCL's bias is lower", "theorem-4"},
		{"Figure 9", "training converges faster with labeled positives", "– " + empirical},
		{"Figure 10", "MCL and DCL are sensitive to their parameter", "– " + empirical},
		{"A.5.4, (22)", "MCL mixes SCL-PU and ssCL", "– " + definition},
		{"A.5.4", "PUCL is MCL with λ = 1 at labeled and λ = 0 at unlabeled samples", "pucl-mcl"},
		{"A.5.4", "smaller λ are better where labels are few", "– " + empirical},
		{"A.5.4", "(3) and (4) again, (4) with z·z for exp z·z inside the logarithm", "dcl-decomposition"},
		{"A.5.4", "ssCL is biased, since samples treated as negative may be of the anchor's class", "sampling-bias " +
			"theorem-2-unbiased"},
		{"A.5.4", "DCL estimates the negatives by (R_u − λR_p)/(1−λ), as (13) does", "dcl-decomposition"},
		{"A.5.4", "DCL gains less over ssCL than PUCL does", "– " + empirical},
	})
}

// puclProofStatements lists the statements of the proofs, of appendix A.6 and of A.7.
func puclProofStatements() []Statement {
	return statementsOf(PUCLDocument, [][3]string{
		{"A.5.5, (23)", "the data come from a supervised data set of which some positives are labeled", "– " + definition},
		{"A.5.5, (24)", "labeled positives have no bias, and a variance of order 1/n", "equation-24"},
		{"A.5.5, proof of Theorem 1", "biases of unlabeled positives and of negatives, and their sum", "theorem-1 " +
			"theorem-1-repaired"},
		{"A.5.5, proof of Theorem 2", "biases of labeled and of unlabeled samples are 0", "theorem-2-unbiased"},
		{"A.5.5, proof of Theorem 2", "variances split by subset; Δσ = (1 − 1/n_PL) Var(z·z')", "theorem-2-variance " +
			"theorem-2-variance-repaired"},
		{"A.5.5, proof of Theorem 2", "Δσ(γ₁) − Δσ(γ₂) ≥ 0 for γ₁ ≥ γ₂", "theorem-2-monotone"},
		{"Figure 12", "as γ falls CE diverges and nnPU deviates, on separable Gaussians; PUPL stays near the true boundary " +
			"almost surely",
			"naive-boundary pupl-almost-surely"},
		{"A.6, summary", "CE deviates where labels are few", "naive-boundary"},
		{"A.6, summary", "the unbiased estimate varies too much where labels are few", "label-variance"},
		{"A.6, summary", "PUPL identifies the correct labels almost surely", "pupl-almost-surely"},
		{"A.6, summary", "cross-entropy on pseudo-labels has a boundary close to the true one", "pupl-linear"},
		{"A.6.1, Definitions 2 to 4", "supervised and PU data, class prior", "– " + definition},
		{"A.6.1, Definitions 5 to 8", "clustering, potential, optimal clustering, D²", "– " + definition},
		{"Figure 13", "PUPL matches the supervised boundary on overlapping Gaussians", "– " + gaussians},
		{"Figure 14 (1)", "CE with unlabeled as negative cannot recover the true boundary and diverges as γ " +
			"falls", "naive-boundary"},
		{"Figure 14 (2)", "nnPU is more robust; with few labels it may be off", "– " + gaussians},
		{"Figure 14 (3)", "PUPL recovers the labels almost surely", "pupl-almost-surely"},
		{"A.6.1, Lemma 2", "the expected potential of a centroid of n_L random positives", "lemma-2"},
		{"A.6.1, Lemma 3", "the expected potential after drawing the second center", "lemma-3 theorem-3-repaired"},
		{"Figure 15", "a prior off by 20% costs nnPU accuracy", "– " + gaussians},
		{"A.6.2, proof of Theorem 3", "steps from Lemmas 2 and 3 to the constant 16", "theorem-3"},
		{"A.6.2", "the bound is tighter with more labels", "theorem-3 theorem-3-repaired"},
		{"A.6.2", "the rounds after seeding can only decrease the potential", "rounds-decrease"},
		{"A.6.2", "k-means++ has (2 + ln 2)·8 ≈ 21.55", "– " + citation + "; the check of theorem-3 finds it above that nowhere"},
		{"A.6.3", "proof of Lemma 2, line by line", "lemma-2"},
		{"A.6.4", "Lemma 3 is a lemma on k-means++ with one uncovered cluster", "lemma-3"},
		{"A.7, A.7.1 to A.7.3", "training, data sets, baselines, augmentations", "– " + setting},
		{"A.7.4, SelfSupConLoss, SupConLoss, PUConLoss", "code of the losses", "loss-code"},
		{"A.7.4, puPL", "code of the pseudo-labels", "pupl-variants"},
	})
}
