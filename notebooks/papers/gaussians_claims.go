package papers

// planeClaims returns the paper's conclusions from its figures 12 to 15, and further questions.
func planeClaims() (list []Claim) {
	add := func(figure, source, setting, statement string, above, below string, within float64) {
		list = append(list, Claim{
			Experiment: figure, Statement: statement, Source: source, Setting: setting,
			Above: Row{linearMethod, above}, Below: Row{linearMethod, below}, Within: within,
		})
	}
	const paper = "Contrastive Positive Unlabeled Learning, "
	for _, ratio := range []float64{0.05, 0.01, 0.002} {
		at := SeparableAt(ratio)
		add("figures 12 and 14", paper+"Figure 12", at, "CE with unlabeled as negative is off, PUPL is not", PUPL, Naive, 0)
		add("figures 12 and 14", paper+"Figure 14", at, "nnPU is off, PUPL is not", PUPL, NNPU, 0)
		add("figures 12 and 14", paper+"Figure 12", at, "PUPL is as good as true labels", PUPL, Ceiling, 0.5)
	}
	for _, ratio := range []float64{0.5, 0.1, 0.05, 0.01, 0.002} {
		add("figure 13", paper+"Figure 13", OverlappingAt(ratio), "PUPL is as good as true labels", PUPL, Ceiling, 0.5)
	}
	for _, at := range []string{SeparableAt(0.05), OverlappingAt(0.05)} {
		add("figure 15", paper+"Figure 15", at, "a prior 20% too low costs nnPU accuracy", NNPU, NNPULow, 0)
		add("figure 15", paper+"Figure 15", at, "a prior 20% too high costs nnPU accuracy", NNPU, NNPUHigh, 0)
		add("figure 15", paper+"Figure 15", at, "PUPL is above nnPU with a prior too low", PUPL, NNPULow, 0)
		add("figure 15", paper+"Figure 15", at, "PUPL is above nnPU with a prior too high", PUPL, NNPUHigh, 0)
	}
	for _, prior := range []float64{0.5, 0.3} {
		for _, distance := range []float64{4, 2, 1} {
			at := RoundAt(distance, prior)
			add("running into each other", byReferees, at, "PUPL is above nnPU with the true prior", PUPL, NNPU, 0)
			add("running into each other", byReferees, at, "PUPL is as good as true labels", PUPL, Ceiling, 0.5)
			list = append(list, encoderClaims(at)...)
		}
	}
	return list
}

// byReferees is the source of questions about overlapping clouds.
const byReferees = "asked by referees of the paper"

// encoderClaims returns the expected accuracy of an encoder by PUCL in a setting: above nnPU, which gets the true
// prior, and above clustering without the encoder.
func encoderClaims(setting string) (list []Claim) {
	add := func(statement string, above, below Row) {
		list = append(list, Claim{Experiment: "running into each other, with an encoder", Statement: statement, Source: byReferees, Setting: setting,
			Above: above, Below: below})
	}
	onH, network := Row{"PUCL", PUPL}, Row{Method: NetworkNNPU}
	add("PUCL + PUPL is above nnPU with the same network", onH, network)
	add("PUCL + PUPL on z is above nnPU with the same network", Row{"PUCL", PUPLOnZ}, network)
	add("PUCL + mixture is above nnPU with the same network", Row{"PUCL", Mixture}, network)
	add("PUCL + PUPL is above nnPU with a line", onH, Row{linearMethod, NNPU})
	add("PUCL + PUPL is above PUPL on the points", onH, Row{linearMethod, PUPL})
	return list
}
