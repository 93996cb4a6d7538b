package engine

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// reproducibleEnv is the environment variable that asks for the same number of threads everywhere: "1".
const reproducibleEnv = "PUCL_REPRODUCIBLE"

// threadsEnv is the environment variable by which XLA's CPU plugin is told the number of its threads; it asks while an engine is opened.
const threadsEnv = "NPROC"

// sameThreads is how many threads XLA has on every machine where results are to be reproduced. They do not have to have a processor each;
// with more of them than processors, a step of the quick start took 1 to 2 % longer.
const sameThreads = 8

// fewestThreads is how many threads XLA has at least, one for each of the devices that its CPU plugin shows.
const fewestThreads = 4

// xlaThreads returns the number of threads with which XLA opens an engine until restore is called. A number that the user gave
// stands, unless results are to be reproduced.
func xlaThreads(reproducible bool) (threads int, restore func()) {
	before, set := os.LookupEnv(threadsEnv)
	if !reproducible {
		n, err := strconv.Atoi(strings.TrimSpace(before))
		if err != nil || n <= 0 {
			n = runtime.NumCPU()
		}
		return max(n, fewestThreads), func() {}
	}
	os.Setenv(threadsEnv, strconv.Itoa(sameThreads)) // fails on names and values that this is not
	return sameThreads, func() {
		if set {
			os.Setenv(threadsEnv, before)
		} else {
			os.Unsetenv(threadsEnv)
		}
	}
}
