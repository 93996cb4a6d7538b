package engine

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// reproducibleEnv is the environment variable that sets the same number of threads everywhere: "1".
const reproducibleEnv = "PUCL_REPRODUCIBLE"

// threadsEnv is the environment variable for the number of threads of XLA's CPU plugin, which reads it while an engine
// is opened.
const threadsEnv = "NPROC"

// sameThreads is the number of XLA's threads on every machine in reproducible mode. They do not need one processor
// each; with fewer processors, a step of the quick start took 1 to 2 % longer.
const sameThreads = 8

// fewestThreads is the minimum number of XLA's threads, one for each of the devices of its CPU plugin.
const fewestThreads = 4

// xlaThreads returns the number of threads with which XLA opens an engine until restore is called. It is the number set
// by the user, except in reproducible mode.
func xlaThreads(reproducible bool) (threads int, restore func()) {
	before, set := os.LookupEnv(threadsEnv)
	if !reproducible {
		n, err := strconv.Atoi(strings.TrimSpace(before))
		if err != nil || n <= 0 {
			n = runtime.NumCPU()
		}
		return max(n, fewestThreads), func() {}
	}
	os.Setenv(threadsEnv, strconv.Itoa(sameThreads)) // fails only on invalid names and values
	return sameThreads, func() {
		if set {
			os.Setenv(threadsEnv, before)
		} else {
			os.Unsetenv(threadsEnv)
		}
	}
}
