//go:build !race

package peaktest

// raceDetector reports whether the race detector is at work.
const raceDetector = false
