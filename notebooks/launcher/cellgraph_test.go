package launcher

import (
	"context"
	"strings"
	"testing"
)

// The habits of PyTorch are told what they are here, on the messages of the compiler about the real package.
func TestMendGraph(t *testing.T) {
	const functions = "by functions: Add, Sub, Mul, Div, AddScalar, MulScalar, OneMinus; a choice is Where"
	for code, want := range map[string]string{
		"_ = x + x": functions, "_ = 2 * x": functions, "_ = x * 0.5": functions, "_ = -x": functions, "if x { }": "takes a bool",
		"_ = x.mean(1)": "ReduceMean(x, -1)", "_ = x.Sum(1)": "ReduceSum(x, -1)", "_ = x.detach()": "StopGradient(x)",
		"_ = x.softmax(1)": "Softmax(x, -1)", "_ = x.t()": "Transpose(x, 0, 1)", "_ = x.view(1)": "Reshape(x", "_ = x.item()": "Objective.Value",
		"_ = x.float()": "ConvertDType(x", "_ = x.nothing()": "",
	} {
		err := checkedHere(t, "import . \""+graphPackage+"\"\nfunc F(x *Node) {\n\t"+code+"\n}")
		if err == nil || !strings.Contains(err.Error(), want) || want == "" && strings.Contains(err.Error(), "place of") {
			t.Errorf("%s: got %v, want %q", code, err, want)
		}
	}
}

// checkedHere has a cell checked in this module.
func checkedHere(t *testing.T, source string) error {
	t.Helper()
	p, err := findRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{place: p}
	if s.goTool, err = findGo(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	return s.checkCells(context.Background(), &notebook{name: "a", cells: []cell{{title: "Term", number: 1, source: source}}})
}
