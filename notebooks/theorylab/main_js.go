// The program of the page's worker: it answers incoming messages, one after the other.
package main

import (
	"syscall/js"

	"github.com/puclab/puclab/notebooks/theorylab/answers"
	"github.com/puclab/puclab/pucl/engine"
)

func main() {
	eng, err := engine.Open()
	if err != nil {
		panic(err) // pure Go is always available, and the worker reports the end of this program to the page
	}
	lab := answers.New(eng)
	requests := make(chan string, 8) // more than the page sends without an answer
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		requests <- args[0].Get("data").String()
		return nil
	}))
	js.Global().Call("postMessage", "ready")
	for r := range requests {
		js.Global().Call("postMessage", string(lab.AnswerJSON([]byte(r))))
	}
}
