package classify

import (
	"bytes"
	"context"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
)

// asked is a run of fine-tuning.
type asked struct {
	model  *train.Model
	data   LabeledImages[bool]
	risk   risk.Risk
	config FineTuneConfig
}

// A checkpoint is an error if one setting differs, and the error names only that field and the fields that follow from
// it. Every field of identity has a case.
func TestCheckpointOfAnotherRun(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	nudged := expect.Must(m.Clone())(t)
	for v := range nudged.Store().IterVariables() {
		if strings.HasSuffix(v.Path(), "/weights") && strings.HasPrefix(v.Path(), "/encoder") {
			value := tensors.MustCopyFlatData[float32](v.MustValue())
			value[0] += 1e-3
			expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(value, v.Shape().Dimensions...)))
			break
		}
	}
	folder := t.TempDir()
	base := func() asked {
		labeled, _ := pu(15, 12)
		labeled.Pixels = bytes.Clone(labeled.Pixels)
		held, _ := pu(16, 12)
		_, test := pu(17, 9)
		return asked{m, labeled, risk.CrossEntropy, FineTuneConfig{
			Epochs: 1, BatchSize: 6, LearningRate: 0.01, Checkpoint: folder, HeldOut: &HeldOut{Images: held, Test: test},
		}}
	}
	tune := func(a asked) error {
		_, err := FineTunePU(ctx, eng, a.model, a.data, a.risk, a.config)
		return err
	}
	expect.NoError(t, tune(base()))
	unchanged := base()
	unchanged.config.Observer = train.OnStep(func(train.Progress) { t.Error("a finished run was trained on") })
	err := tune(unchanged)
	expect.That(t, err == nil, "the same run is refused: %v", err)
	cases := []struct {
		field  string
		change func(*asked)
		also   []string // fields that follow from it
	}{
		{"Data", func(a *asked) { a.data.Labels[9] = true }, []string{"Images"}},
		{"Images", func(a *asked) { a.data.Pixels[70] ^= 1 }, nil},
		{"Images", func(a *asked) { a.data.Labels[10], a.data.Labels[6] = a.data.Labels[6], a.data.Labels[10] }, []string{"LossOnSample"}},
		{"Model", func(a *asked) { a.model = nudged }, nil},
		{"Model", func(a *asked) { a.config.Head = constant(1, 8, 0.25) }, nil},
		{"LossOnSample", func(a *asked) { a.risk = risk.NNPU(0.3, risk.SigmoidLoss) }, nil},
		{"FreezeEncoder", func(a *asked) { a.config.FreezeEncoder = true }, nil},
		{"BatchStatistics", func(a *asked) { a.config.BatchStatistics = true }, nil},
		{"BatchSize", func(a *asked) { a.config.BatchSize, a.config.Epochs = 12, 2 }, nil},
		{"Views", func(a *asked) { a.config.Recipe = augment.Recipe{augment.Crop{}} }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut.PU.Prior = 0.3 }, []string{"ProxyOnSample"}},
		{"ProxyOnSample", func(a *asked) { a.config.HeldOut.Proxy = evaluate.ByProxyAUC }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut.Images.Labels[1] = true }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut.Test = LabeledImages[bool]{} }, nil},
		{"HeldOut", func(a *asked) { a.config.HeldOut = nil }, []string{"ProxyOnSample"}},
		{"Keep", func(a *asked) { a.config.Keep = evaluate.WithoutNegatives }, nil},
		{"Seed", func(a *asked) { a.config.Seed = 1 }, nil},
		{"LearningRate", func(a *asked) { a.config.LearningRate = 0.02 }, nil},
	}
	named := regexp.MustCompile(`(?m)^  (\w+): there .*, asked for `)
	tested := map[string]bool{}
	for _, tt := range cases {
		tested[tt.field] = true
		run := base()
		tt.change(&run)
		err := tune(run)
		refusal.Check(t, err, "the checkpoint of another run, and is left as it is … name another folder in Checkpoint, ask")
		var names []string
		for _, match := range named.FindAllStringSubmatch(err.Error(), -1) {
			names = append(names, match[1])
		}
		want := append([]string{tt.field}, tt.also...)
		slices.Sort(names)
		if slices.Sort(want); !slices.Equal(names, want) {
			t.Errorf("%s: the error names %v, want %v: %v", tt.field, names, want, err)
		}
	}
	for fields, i := reflect.TypeFor[identity](), 0; i < fields.NumField(); i++ {
		if !tested[fields.Field(i).Name] {
			t.Errorf("identity.%s has no case", fields.Field(i).Name)
		}
	}
	if err := tune(unchanged); err != nil {
		t.Errorf("after what was refused the same run is refused: %v", err)
	}
}
