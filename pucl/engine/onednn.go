package engine

import (
	"os"
	"path/filepath"

	"github.com/puclab/puclab/pucl/engine/onednn"
	"github.com/puclab/puclab/pucl/internal/home"
)

// oneDNNEnv is the environment variable that says whether XLA on the CPU calls oneDNN: "off", or the file of its library. Without it
// the library of the virtual environment is taken, when it is there.
const oneDNNEnv = "PUCL_ONEDNN"

// attachOneDNN has the CPU plugin call oneDNN. Where that can't be, it is a note: everything works without, only slower.
func (e *Engine) attachOneDNN() {
	onednn.Detach()
	library := os.Getenv(oneDNNEnv)
	if library == "off" {
		return
	}
	if library == "" {
		root, ok := home.Dir()
		if !ok {
			return
		}
		library = filepath.Join(root, "notebooks", ".venv", "lib", "libdnnl.so.3")
		if _, err := os.Stat(library); err != nil {
			return // not installed
		}
	}
	if err := onednn.Attach(library, e.Plugin); err != nil {
		e.Notes = append(e.Notes, err.Error())
		return
	}
	e.OneDNN = true
}
