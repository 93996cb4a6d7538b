// Gpucheck tells whether this module works, and how fast, on the engine of the machine it runs on: an NVIDIA card through
// XLA's CUDA plugin, or a CPU. `go run ./notebooks gpu-check` builds it, tells it where CUDA is and runs it; it is also a
// program of its own, for machines without Go:
//
//	gpucheck [-on gpu | cpu | go] [-only KINDS] [-steps N] [-markdown | -json] [-tests DIR]
//	gpucheck -build DIR
//
// It checks, in this order:
//
//	start     the engine opens and takes a first training step
//	numbers   the precision of a matrix product; loss and gradients of one step against the pure-Go engine
//	step      milliseconds a training step, views a second, seconds to compile, memory; in float32 and bfloat16
//	training  FMNIST-I and CIFAR-I with PUCL for a few minutes: the loss falls below its chance level, and a classifier
//	          of the held-out images beats the larger class
//	tests     the tests of every package that uses the engine
//
// and prints a table with PASS, FAIL or "not run" for each. The exit status is 0 where nothing failed, 1 where something
// did, 2 for a wrong command line and 130 after Ctrl-C, which still prints what was done so far. Every check runs in a
// process of its own: one that crashes, as programs on a GPU may, is a FAIL and not the end, and each starts with the
// device's memory empty.
//
// On a CPU all of it takes some ten minutes. Trainings of fewer than 150 steps are too short: the images are not yet apart
// enough for PUPL's two clusters to be the classes, and the check fails.
//
// # Memory
//
// The plugin's own account of the device's memory cannot be asked for through go-xla v0.4.5. On NVIDIA cards the table has
// what nvidia-smi sees the card hold beyond what it held before: the CUDA context and the engine's pool, which never
// shrinks while the process lives. Elsewhere it has the largest resident memory of the process, as Linux counts it.
//
// # Precision
//
// XLA may compute float32 products on the tensor cores of a card in TF32, with 10 bits of mantissa; the first check of
// "numbers" shows whether it does. The tests compare with float32's rounding, so they run with NVIDIA_TF32_OVERRIDE=0
// where that variable is not set; all else runs as training does.
//
// # A machine without Go
//
// Build here, with the processor and a C library no newer than there, and carry the folder together with the files of the
// checkout (the tests read their test data there) and the data:
//
//	go run ./notebooks gpu-check -build carry    # gpucheck, test2json and the test programs, some 220 MB, xz makes it a third
//
// then run it there in the checkout's folder, and tell it where the plugin and the data are:
//
//	export GOMLX_BACKEND=xla:/path/to/xla_cuda_plugin.so,preallocate=false
//	export LD_LIBRARY_PATH=…                     # the lib folders of the nvidia-* wheels, where CUDA is not installed
//	export PUCL_DATA_DIR=/path/to/data           # optional
//	carry/gpucheck -tests carry
//
// The path is that of the wheel jax-cuda13-pjrt: python3 -c 'import jax_plugins.xla_cuda13 as m; print(*m.__path__)'.
// 10,000 images of Fashion-MNIST are in the program. Of CIFAR-10 the file test_batch.bin (31 MB) is enough: where the
// five others are missing, its 10,000 images are split into 8,000 to learn from and 2,000 held out.
package main
