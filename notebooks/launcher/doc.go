// Package launcher is the program in notebooks/, which sets up, runs and opens the notebooks:
//
//	go run ./notebooks            prepare what is missing, then run the quickstart and print its table
//	go run ./notebooks list       list the notebooks
//	go run ./notebooks run NAME   run notebooks without a browser; -check only compiles their cells
//	go run ./notebooks new NAME   make a notebook for a debiasing term of your own
//	go run ./notebooks lab        open JupyterLab
//	go run ./notebooks claims     check the claims of the papers and print their verdicts; -json for the full records
//	go run ./notebooks report     list the papers' claims, of theory and experiments, with the verdicts; -json
//	go run ./notebooks grid       do the runs behind the tables of the papers; -size, -list and more
//	go run ./notebooks gpu-check  check a GPU, or with -on cpu the CPU: numbers, speed, training, tests
//	go run ./notebooks theory-lab open a page for varying the parameters of the theorems
//	go run ./notebooks setup      only prepare; -gpu and -data fetch more
//	go run ./notebooks clean      remove everything it made here
//
// It requires only Go and Python 3.10 or newer. Everything that it installs is in notebooks/.venv: JupyterLab, the Go
// kernel (gonb) with its tools, and the XLA plugin if one exists for the machine. Versions are pinned: Python packages
// by hash in requirements.txt, Go tools by the go.mod files of this module and of notebooks/tools. Results go to
// notebooks/out. Outside the checkout it writes only to the caches of Go and pip and the user's cache folder.
//
// It links neither XLA nor gomlx nor anything that needs a C compiler, so it always builds and can always report what
// is missing.
//
// # Structure
//
// A start compares the environment with a stamp (stamp.go, environment.go) and does only the steps that are due. The
// stamp of a step is written after the step, so that an interrupted setup is detected and repeated. The kernel
// specification (kernelspec.go) makes the packages of this module importable in every cell. A headless run (run.go)
// starts run_notebook.py (jupyter.go starts the scripts), which drives the kernel and reports events; render.go turns
// these into lines.
//
// # Variables
//
// PUCL_PYTHON names the Python to use. GOMLX_BACKEND, PUCL_ONEDNN, PUCL_REPRODUCIBLE, PUCL_MALLOC, PUCL_DATA_DIR and
// PUCL_OFFLINE reach the notebooks unchanged, and so do the values of -set: `-set name=value` is the variable
// PUCL_NAME.
package launcher
