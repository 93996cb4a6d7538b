package rival

import "testing"

// A method tells all its numbers, and without any it has those that its comment names.
func TestDefaults(t *testing.T) {
	for want, m := range map[string]Method{
		"uPU π=0.3, sigmoid loss":                              UPU{Prior: 0.3},
		"uPU π=0.3, logistic loss":                             UPU{Prior: 0.3, Logistic: true},
		"nnPU π=0.3, β=0, γ=1, sigmoid loss":                   NNPU{Prior: 0.3},
		"nnPU π=0.3, β=0.1, γ=0.2, logistic loss":              NNPU{Prior: 0.3, Beta: 0.1, Gamma: 0.2, Logistic: true},
		"nnPU with mixup α=0.3, π=0.4, β=0, γ=1, sigmoid loss": NNPUMixup{NNPU: NNPU{Prior: 0.4}},
		"nnPU with mixup α=2, π=0.4, β=0, γ=1, sigmoid loss":   NNPUMixup{NNPU: NNPU{Prior: 0.4}, Alpha: 2},
		"vPU α=0.3, weight 0.03":                               VPU{},
		"vPU α=2, weight 0":                                    VPU{Alpha: 2, Weight: -1},
		"Dist-PU π=0.3, μ=0.004, ν=5, γ=0.04, α=6, warm-up 0.5 of the steps with μ₀=0.002": DistPU{Prior: 0.3},
		"Dist-PU π=0.3, μ=1, ν=2, γ=3, α=4, warm-up 0.6 of the steps with μ₀=7":            DistPU{0.3, 1, 2, 3, 4, 0.6, 7},
		"Dist-PU π=0.3, μ=0, ν=0, γ=0, α=6, warm-up 0 of the steps with μ₀=0":              DistPU{0.3, -1, -1, -1, 0, -1, -1},
		"PAN λ=0.0001": PAN{},
		"PAN λ=0":      PAN{Lambda: -1},
		"P3Mix-E α=0.5, γ=0.85, pool 0.1, unlabeled 1, early 2, entropy 0.01, momentum 0.997, " +
			"warm-up 0.125 of the steps": P3Mix{},
		"P3Mix-C α=0.5, γ=0.6, pool 0.1, unlabeled 0.5, early 0, entropy 0.05, momentum 0.997, " +
			"warm-up 0.1 of the steps": P3Mix{Correct: true},
		"P3Mix-E α=1, γ=0.6, pool 0.3, unlabeled 4, early 5, entropy 6, momentum 0.7, " +
			"warm-up 0.8 of the steps": P3Mix{false, 1, 0.6, 0.3, 4, 5, 6, 0.7, 0.8},
		"P3Mix-E α=0.5, γ=0.85, pool 0.1, unlabeled 1, early 0, entropy 0, momentum 0.997, " +
			"warm-up 0 of the steps": P3Mix{Early: -1, Entropy: -1, Warmup: -1},
		"Self-PU π=0.3, α=10, β=0.3, γ=0.0625, paces 0.2 and 0.3, momentum 0.999": SelfPU{Prior: 0.3},
		"Self-PU π=0.3, α=0, β=0, γ=0, paces 0 and 0.4, momentum 0.9":             SelfPU{0.3, -1, -1, -1, -1, 0.4, 0.9},
		"MixPUL α=1, β=1, η=1, margin 0.2, negatives 0.4 of the unlabeled, momentum 0.999, " +
			"warm-up 0.1 of the steps": MixPUL{},
		"MixPUL α=2, β=0, η=0, margin 0.1, negatives 0.3 of the unlabeled, momentum 0.9, warm-up 0 of the steps": MixPUL{2, -1, -1, 0.1, 0.3, 0.9, -1},
		"PULNS 32 selections, rate 0.01, judges 0.2":                                                             PULNS{},
		"PULNS 2 selections, rate 1, judges 0.3":                                                                 PULNS{2, 1, 0.3},
		"LaGAM π=0.3, mixup 1, α=4, contrast 1 at temperature 0.07, 5 groups, 10 neighbors, rate 0.001, memory 0.05 and " +
			"warm-up 0.05 of the steps, judges 0.2": LaGAM{Prior: 0.3},
		"LaGAM π=0.3, mixup 0, α=2, contrast 0 at temperature 0.5, 3 groups, 0 neighbors, rate 0.1, memory 0.2 and " +
			"warm-up 0 of the steps, judges 0.1": LaGAM{0.3, -1, 2, -1, 0.5, 3, -1, 0.1, 0.2, -1, 0.1},
		"NcPU align 5, entropy 0.5, τ=0.5, momentum 0.99, memory 5 and warm-up 0.5 of the steps": NcPU{},
		"NcPU align 0, entropy 0, τ=0.7, momentum 0.9, memory 2 and warm-up 0 of the steps":      NcPU{-1, -1, 0.7, 0.9, 2, -1},
	} {
		if got := m.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
