//go:build cgo && linux && amd64

package onednn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/pjrt"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

// TestCallsForOtherArraysFail checks that a call whose plan is for other arrays, or that names none, is an error and
// writes nothing.
func TestCallsForOtherArraysFail(t *testing.T) {
	eng := withOneDNN(t)
	client := enginetest.NewClient(t, eng)
	defer client.Destroy()
	right := fmt.Sprintf("{plan = %d : i64}", onednn.PlanOf(20, 30, 40))
	const left, other, result = "tensor<20x40xf32>", "tensor<40x30xf32>", "tensor<20x30xf32>"
	for name, c := range map[string]struct{ attributes, left, right, result, want string }{
		"as planned":          {right, left, other, result, ""},
		"another shape":       {right, "tensor<40x20xf32>", other, result, ""}, // as many numbers in another shape are valid
		"a small operand":     {right, "tensor<20x39xf32>", other, result, "of these types and sizes"},
		"another operand":     {right, left, "tensor<41x30xf32>", result, "of these types and sizes"},
		"a small result":      {right, left, other, "tensor<20x29xf32>", "of these types and sizes"},
		"whole numbers":       {right, "tensor<20x40xi32>", other, result, "of these types and sizes"},
		"a result of doubles": {right, left, other, "tensor<20x30xf64>", "of these types and sizes"},
		"no such plan":        {"{plan = 1000000 : i64}", left, other, result, "names no plan"},
		"a negative plan":     {"{plan = -1 : i64}", left, other, result, "names no plan"},
		"a short number":      {strings.ReplaceAll(right, "i64", "i32"), left, other, result, "names no plan"},
		"a word for a number": {`{plan = "first"}`, left, other, result, "names no plan"},
		"no number":           {"{}", left, other, result, "names no plan"},
		"two numbers":         {"{plan = 0 : i64, other = 0 : i64}", left, other, result, "names no plan"},
	} {
		t.Run(name, func(t *testing.T) {
			program := fmt.Sprintf(`module @m { func.func @main(%%a: %[2]s, %%b: %[3]s) -> %[4]s {
				%%c = "stablehlo.custom_call"(%%a, %%b) {api_version = 4 : i32, call_target_name = "puclab_onednn", backend_config = %[1]s,
					operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>],
					result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (%[2]s, %[3]s) -> %[4]s
				"func.return"(%%c) : (%[4]s) -> () } }`, c.attributes, c.left, c.right, c.result)
			exec := expect.Must(client.Compile().WithStableHLO([]byte(program)).Done())(t)
			var inputs []*pjrt.Buffer
			for _, kind := range []string{c.left, c.right} {
				var rows, columns int
				expect.Must(fmt.Sscanf(kind, "tensor<%dx%d", &rows, &columns))(t)
				ones := make([]float32, rows*columns)
				for i := range ones {
					ones[i] = 1
				}
				var flat any = ones
				if strings.Contains(kind, "i32") {
					flat = make([]int32, rows*columns)
				}
				buffer, err := client.BufferFromHost().FromFlatDataWithDimensions(flat, []int{rows, columns}).Done()
				expect.NoError(t, err)
				inputs = append(inputs, buffer)
			}
			outputs, err := exec.Execute(inputs...).DonateNone().Done()
			var numbers []float32
			if err == nil { // an error may come with the numbers
				numbers, _, err = pjrt.BufferToArray[float32](outputs[0])
			}
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want == "":
				for i, v := range numbers {
					expect.Require(t, v == 40, "number %d is %v, want 40", i, v)
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("%v, want an error that says %q", err, c.want)
			}
		})
	}
}
