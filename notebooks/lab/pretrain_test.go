package lab

import (
	"os"
	"testing"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// small is a run of two steps that takes no time.
func small() train.Config {
	return train.Config{Steps: 2, Encoder: encoder.SmallCNN{Width: 1, Dim: 2}, Projection: 2, Recipe: augment.Recipe{}, Monitor: train.Monitor{Every: 1, Examples: 4}}
}

func TestPretrainKeepsTheModel(t *testing.T) {
	eng, b := enginetest.Open(t), bench(t)
	m, err := b.Pretrain(eng, "m", noise{}, small())
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Model("m")
	if err != nil {
		t.Fatal(err)
	}
	if again.History.Losses[1] != m.History.Losses[1] {
		t.Error("the model on the bench is another one")
	}
	if r := LastReading(again); r.Step != 2 {
		t.Errorf("the last reading is that of step %d", r.Step)
	}
	if _, err := os.Stat(b.Path("m.run")); !os.IsNotExist(err) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
	if _, err := b.Pretrain(eng, "a/b", noise{}, small()); err == nil {
		t.Error("a bad name was taken")
	}
	if r := LastReading(&train.Model{}); r.Step != 0 {
		t.Errorf("a model without readings has %v", r)
	}
}
