// Gpucheck checks whether this module works, and how fast, on the engine of this machine: an NVIDIA GPU through XLA's
// CUDA plugin, or a CPU. `go run ./notebooks gpu-check` builds it, gives it the path of CUDA and runs it; it is also a
// standalone program, for machines without Go:
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
// and prints a table with PASS, FAIL or "not run" for each. The exit status is 0 without failures, 1 after a failure, 2
// for a wrong command line and 130 after Ctrl-C, which prints the completed checks. Every check runs in a separate
// process. A crash, as may happen on a GPU, is therefore a FAIL and the other checks continue, and each check starts
// with empty device memory.
//
// On a CPU the whole check takes about ten minutes. Trainings of fewer than 150 steps are too short: the classes are
// not yet separated enough for PUPL's two clusters, and the check fails.
//
// # Memory
//
// go-xla v0.4.5 does not expose the plugin's own accounting of device memory. On NVIDIA GPUs the table has the memory
// use in nvidia-smi minus its value before the check: the CUDA context and the engine's pool, which never shrinks
// during the process. Elsewhere it has the peak resident memory of the process, as counted by Linux.
//
// # Precision
//
// XLA may compute float32 products on the tensor cores of a GPU in TF32, with 10 bits of mantissa; the first check of
// "numbers" shows whether it does. The tests assume float32 rounding, so they run with NVIDIA_TF32_OVERRIDE=0 unless
// that variable is set; all other checks run as training does.
//
// # A machine without Go
//
// Build on a machine with the same processor and a C library no newer than the target's. Copy the folder together with
// the files of the checkout (the tests read their test data there) and the data:
//
//	go run ./notebooks gpu-check -build carry    # gpucheck, test2json, test programs: some 220 MB, a third with xz
//
// then run it there in the checkout's folder, with the paths of the plugin and the data:
//
//	export GOMLX_BACKEND=xla:/path/to/xla_cuda_plugin.so,preallocate=false
//	export LD_LIBRARY_PATH=…                     # the lib folders of the nvidia-* wheels, where CUDA is not installed
//	export PUCL_DATA_DIR=/path/to/data           # optional
//	carry/gpucheck -tests carry
//
// The path is that of the wheel jax-cuda13-pjrt: python3 -c 'import jax_plugins.xla_cuda13 as m; print(*m.__path__)'.
// 10,000 images of Fashion-MNIST are in the program. For CIFAR-10 the file test_batch.bin (31 MB) is enough: if the
// five others are missing, its 10,000 images are split into 8,000 for training and 2,000 held-out images.
package main
