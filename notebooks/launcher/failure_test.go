package launcher

import "testing"

// A failed cell is told of by its sentence and its places in cells; the program that gonb makes of them, and the frames of packages,
// are nobody's business.
func TestFailuresSpeakOfCells(t *testing.T) {
	for text, want := range map[string]string{
		"✗ pucl: Attract of objective \"mine\", at  [[ Cell [1] Line 11 ]] /tmp/gonb_83f9bdd2/main.go:18: x's axis is out-of-range\nexit status 1"://
		"✗ pucl: Attract of objective \"mine\", at cell 1, line 11: x's axis is out-of-range\nexit status 1",

		"panic: invalid input[0]: Node is nil\n\ngoroutine 1 [running]:\ngithub.com/gomlx/gomlx/core/graph.ReduceSum(0x0, {0x2cb7, 0x1, 0x1})\n" +
			"\t/go/pkg/mod/github.com/gomlx/gomlx@v0.28.8/core/graph/ops.go:1177 +0x57\nmain.Mine(...)\n" +
			"\t [[ Cell [1] Line 11 ]] /tmp/gonb_eef7fddf/main.go:16\nmain.main()\n" +
			"\t [[ Cell [2] Line 3 ]] /tmp/gonb_eef7fddf/main.go:23 +0xb7\nexit status 2": //
		"panic: invalid input[0]: Node is nil\n\n    at cell 1, line 11\n    at cell 2, line 3\nexit status 2",

		"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 gp=0x1 m=0 mp=0x2 [chan receive]:\nmain.main()\n" +
			"\t [[ Cell [3] Line 2 ]] /tmp/gonb_1/main.go:9 +0x2c\n\ngoroutine 5 [sleep]:\nruntime.gopark()\n\t/go/src/runtime/proc.go:1\nsignal: aborted": //
		"fatal error: all goroutines are asleep - deadlock!\n\n    at cell 3, line 2\nsignal: aborted",

		"no trace\nat all": "no trace\nat all",
	} {
		if got := inCells(text); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
