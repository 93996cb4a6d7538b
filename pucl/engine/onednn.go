package engine

import (
	"os"

	"github.com/puclab/puclab/pucl/internal/onednn"
)

// oneDNNEnv is the environment variable that controls XLA's calls of oneDNN on the CPU: "off", or the file of its
// library. If it is unset, the library of a virtual environment is used, if present.
const oneDNNEnv = "PUCL_ONEDNN"

// attachOneDNN makes the CPU plugin call oneDNN. Failure adds a note: everything works without oneDNN, only slower. A
// process has one plugin, so the engine opened last determines the calls in all later compiled programs.
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

// oneDNNLibrary returns the file to open, or "" for none; it returns an error for a file that exists but must not be
// loaded.
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
