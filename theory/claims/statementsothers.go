package claims

// debiasedStatements, introStatements, makStatements and slidesStatements list the statements of the shorter documents.
func debiasedStatements() []Statement {
	return statementsOf(DebiasedDocument, [][3]string{
		{"text", "negatives drawn from all data can be of the anchor's class, and bias the loss", "sampling-bias"},
		{"figure (a)", "what sampling bias is", "– " + definition},
		{"figure (b)", "sampling bias costs accuracy", "– " + empirical},
		{"text", "views by augmentation stand for draws of the positive distribution", "– " + definition + "; what it costs " +
			"is measured in dcl-decomposition"},
		{"equation", "negatives' mean as that of all data less the positives' share, over τ⁻", "dcl-decomposition"},
		{"equation", "the debiased objective with Q, which the empirical loss estimates", "– " + definition +
			"; in which sense is not printed, and dcl-limit and dcl-limit-repaired are our own statements of a limit"},
		{"text", "the empirical estimate is easier to compute than the objective", "– nothing measurable is said"},
	})
}

func introStatements() []Statement {
	return statementsOf(IntroDocument, [][3]string{
		{"introduction", "similar samples should lie close (alignment), dissimilar ones spread evenly " +
			"(uniformity)", "– " + definition},
		{"introduction", "a representation with both is linearly separable", "aligned-uniform"},
		{"positive and negative samples", "views of one sample are positives of each other, views of others " +
			"negatives", "– " + definition},
		{"original contrastive loss", "the loss of a pair, with increasing L_p and decreasing L_n: far positives and near " +
			"negatives cost more", "– " + definition +
			" (what is said of it is what increasing and decreasing mean)"},
		{"InfoNCE", "reducing the loss raises a lower bound of mutual information", "infonce-mi"},
		{"InfoNCE", "the loss is the cross-entropy of a softmax with many classes", "– " + definition +
			": the negative logarithm of an entry of a softmax; loss-code follows SelfSupConLoss, which has this form"},
		{"InfoNCE", "of normalized vectors the inner product is equivalent to a distance", "inner-product"},
		{"InfoNCE", "the loss brings positives nearer and negatives farther", "loss-directions"},
		{"InfoNCE, temperature", "small τ: the maximum, hard negatives only; large τ: uniform", "temperature-limits"},
		{"InfoNCE, temperature", "results are sensitive to τ", "– " + empirical},
		{"negative pairs", "the other 2(b−1) rows of a batch are negatives", "– " + definition},
		{"loss", "InfoNCE as a sum over the rows of a batch", "– " + definition},
		{"loss", "it maximizes the similarity of positive pairs and minimizes that of negative pairs", "loss-directions"},
		{"NCE loss for PU, 1 to 4", "which rows are positives and negatives of labeled and unlabeled anchors " +
			"(puNCE)", "– " + definition},
	})
}

func makStatements() []Statement {
	return statementsOf(MAKDocument, [][3]string{
		{"introduction, problem, challenges", "open-world data are diverse and long-tailed; seed data small and " +
			"unlabeled", "– nothing measurable is said"},
		{"backbone", "the SimCLR loss of a sample pulls it to its positive and away from negatives", "loss-directions"},
		{"tailness", "ECLE is the expectation of the loss over augmentations, approximated by the mean of M " +
			"draws", "– " + definition +
			"; a mean of M independent draws has its expectation and 1/M of the variance"},
		{"tailness", "samples with a large ECLE are from tail classes", "– " + empirical},
		{"proximity", "D, the mean distance to the nearest seed; cosine distance is 1 − cosine", "– " + definition},
		{"proximity", "D is computed to prototypes by k-means in place of the seeds", "– an approximation of which nothing is " +
			"said"},
		{"diversity", "H, the largest distance to the nearest chosen sample; minimizing it is k-center", "– " + definition},
		{"k-Center-Greedy", "chooses b samples, each the farthest from those before", "– " + definition},
		{"objective of MAK", "max of the sum of ECLE − D − H with |s¹| ≤ K", "– " + definition},
		{"Algorithm 1", "the greedy heuristic returns s¹ within the budget", "mak-budget"},
		{"Algorithm 1, caption", "the greedy heuristic efficiently solves MAK", "– no bound is said: it ranks by α N(ECLE) − (1−α) N(D) and " +
			"then takes k centers, which is not the printed sum ECLE − D − H; its budget is mak-budget"},
		{"experiments, two tables", "accuracies and their spread over classes", "– " + empirical},
	})
}

func slidesStatements() []Statement {
	return statementsOf(SlidesDocument, [][3]string{
		{"idea", "p⁺ = (p − τ⁻p⁻)/τ⁺", "lpos-identity lpos-recovers"},
		{"N-pair", "the classical loss ignores the bias of false negatives", "sampling-bias"},
		{"L_Neg", "the loss of Chuang et al. that corrects false negatives", "dcl-decomposition"},
		{"DebiasedPos", "L̃_Pos, which corrects the positives, is the loss with draws of p⁺", "lpos-identity"},
		{"DebiasedPos", "L_Pos with empirical means", "– " + definition},
		{"lemma", "as N grows, the N-pair loss tends to L̃_Pos", "lpos-limit lpos-limit-repaired"},
		{"theorem", "L_Pos maximizes a lower bound of mutual information", "lpos-mi lpos-mi-repaired"},
		{"SimCLR", "the framework", "– " + definition},
		{"classification", "accuracy and top-k accuracy; comparison of three losses", "– " + definition + ", and empirical"},
		{"artificial experiment", "whether L_Pos recovers the original distribution", "lpos-recovers"},
		{"VQA", "accuracy by the answers of ten people; 0.67 with N-pair and 0.69 with L_Pos", "– " + definition + ", and " +
			"empirical"},
	})
}
