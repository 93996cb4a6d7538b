package rival

// firstLosses are the first losses of every method in TestLearnsToTheBayesRate. They change with its version alone.
var firstLosses = map[string][]float64{
	"uPU":             {0.589263, 0.605662, 0.565795},
	"nnPU":            {0.589263, 0.605662, 0.565795},
	"nnPU with mixup": {0.60935, 0.656139, 0.559749},
	"vPU":             {0.251897, 0.31088, 0.197891},
	"Dist-PU":         {0.589689, 0.623039, 0.572432},
	"PAN":             {1.48436, 1.25822, 1.24816},
}
