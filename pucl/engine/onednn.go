package engine

import (
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/pucl/engine/onednn"
)

// oneDNNEnv is the environment variable that says whether XLA on the CPU calls oneDNN: "off", or the file of its library. Without it
// the library of the virtual environment is taken, when it is there.
const oneDNNEnv = "PUCL_ONEDNN"

// attachOneDNN has the CPU plugin call oneDNN. Where that can't be, it is a note: everything works without, only slower. There is one
// plugin in a process, so the engine opened last decides for the programs of all that are compiled from then on.
func (e *Engine) attachOneDNN() {
	if library := oneDNNLibrary(); library != "" {
		err := onednn.Attach(library, e.Plugin)
		if err == nil {
			e.OneDNN = true
			return
		}
		e.Notes = append(e.Notes, err.Error())
	}
	onednn.Detach()
}

// oneDNNLibrary returns the file to open, or "" for none.
func oneDNNLibrary() string {
	switch setting := os.Getenv(oneDNNEnv); setting {
	case "off":
		return ""
	case "":
		root, ok := home.Dir()
		if !ok {
			return ""
		}
		library := filepath.Join(root, "notebooks", ".venv", "lib", "libdnnl.so.3")
		if _, err := os.Stat(library); err != nil {
			return "" // not installed
		}
		return library
	default:
		return setting
	}
}
