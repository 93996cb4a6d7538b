//go:build !race

package peaktest

// raceDetector reports whether the race detector is enabled.
const raceDetector = false
