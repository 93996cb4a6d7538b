//go:build cgo && linux && (amd64 || arm64)

package programs_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gomlx/go-xla/pjrt"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/programs"
)

// newClient returns a client of the engine's plugin, for this test alone.
func newClient(t *testing.T) *pjrt.Client {
	t.Helper()
	eng := enginetest.XLA(t)
	if eng.Kind != "xla-cpu" {
		t.Skip("programs of XLA on the CPU are kept, and this is ", eng)
	}
	return enginetest.NewClient(t, eng)
}

// compiled returns a program that adds a number to two others.
func compiled(t *testing.T, client *pjrt.Client, number int) *pjrt.LoadedExecutable {
	exec, err := client.Compile().WithStableHLO(fmt.Appendf(nil, `module @m { func.func @main(%%a: tensor<2xf32>) -> tensor<2xf32> {
		%%b = "stablehlo.constant"() {value = dense<%d.0> : tensor<2xf32>} : () -> tensor<2xf32>
		%%c = "stablehlo.add"(%%a, %%b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
		"func.return"(%%c) : (tensor<2xf32>) -> () } }`, number)).Done()
	expect.NoError(t, err)
	return exec
}

// adds fails the test unless exec adds the number.
func adds(t *testing.T, client *pjrt.Client, exec *pjrt.LoadedExecutable, number int) {
	in, err := client.BufferFromHost().FromFlatDataWithDimensions([]float32{1, 2}, []int{2}).Done()
	if err != nil {
		t.Error(err)
		return
	}
	outputs, err := exec.Execute(in).DonateNone().Done()
	if err != nil {
		t.Error(err)
		return
	}
	got, _, err := pjrt.BufferToArray[float32](outputs[0])
	expect.That(t, err == nil && got[0] == float32(1+number) && got[1] == float32(2+number),
		"%v (%v), want 1 and 2, each and %d", got, err, number)
}

func destroy(t *testing.T, what interface{ Destroy() error }) { expect.NoError(t, what.Destroy()) }

// keptSince returns a function that fails the test unless the given numbers of programs in use and idle have been added
// since.
func keptSince(t *testing.T) func(held, idle int) {
	held0, idle0 := programs.Kept()
	return func(held, idle int) {
		t.Helper()
		h, i := programs.Kept()
		expect.That(t, h-held0 == held && i-idle0 == idle,
			"%d more are held and %d idle, want %d and %d", h-held0, i-idle0, held, idle)
	}
}

func TestAProgramIsCompiledOnce(t *testing.T) {
	client := newClient(t)
	kept := keptSince(t)
	one, two, again := compiled(t, client, 1), compiled(t, client, 2), compiled(t, client, 1)
	kept(2, 0)
	adds(t, client, one, 1)
	destroy(t, one)
	kept(2, 0)
	adds(t, client, again, 1) // the same program, which is still in use
	adds(t, client, two, 2)
	destroy(t, again)
	kept(1, 1)
	again = compiled(t, client, 1)
	kept(2, 0)
	adds(t, client, again, 1)
	other := newClient(t)
	of := compiled(t, other, 1)
	kept(3, 0)
	adds(t, other, of, 1)
	for _, e := range []*pjrt.LoadedExecutable{again, two, of} {
		destroy(t, e)
	}
	kept(0, 3)
	destroy(t, client)
	kept(0, 1)
	destroy(t, other)
	kept(0, 0)
}

func TestAProgramThatIsWrongIsNotKept(t *testing.T) {
	client := newClient(t)
	kept := keptSince(t)
	for range 2 {
		expect.Error(t, expect.Err(client.Compile().WithStableHLO([]byte("module @m {")).Done()))
	}
	kept(0, 0)
	destroy(t, client)
}

func TestManyAtOnce(t *testing.T) {
	const idle = 6
	before := programs.KeepIdle(idle)
	defer programs.KeepIdle(before)
	client := newClient(t)
	kept := keptSince(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for round := range 20 {
				number := (i + round) % (idle + 4)
				exec := compiled(t, client, number)
				adds(t, client, exec, number)
				destroy(t, exec)
			}
		})
	}
	all.Wait()
	kept(0, idle)
	destroy(t, client)
	kept(0, 0)
}
