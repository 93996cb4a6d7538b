package engine

import (
	"os"

	"github.com/puclab/puclab/pucl/internal/onednn"
)

// oneDNNEnv is the environment variable that says whether XLA on the CPU calls oneDNN: "off", or the file of its library. Without it
// the library of a virtual environment is taken, when it is there.
const oneDNNEnv = "PUCL_ONEDNN"

// attachOneDNN has the CPU plugin call oneDNN. Where that can't be, it is a note: everything works without, only slower. There is one
// plugin in a process, so the engine opened last decides for the programs of all that are compiled from then on.
func (e *Engine) attachOneDNN() {
	library, err := oneDNNLibrary()
	if library != "" {
		if err = onednn.Attach(library, e.Plugin); err == nil {
			e.OneDNN = true
			return
		}
	}
	if err != nil {
		e.Notes = append(e.Notes, err.Error())
	}
	onednn.Detach()
}

// oneDNNLibrary returns the file to open, or "" for none; the error tells of one that is there and is not to be loaded.
func oneDNNLibrary() (file string, err error) {
	switch setting := os.Getenv(oneDNNEnv); setting {
	case "off":
		return "", nil
	case "":
		for _, p := range places() {
			files, problem := p.files("libdnnl.so.3")
			if len(files) > 0 {
				return files[0], nil
			}
			if err == nil {
				err = problem
			}
		}
		return "", err
	default:
		return setting, nil
	}
}
