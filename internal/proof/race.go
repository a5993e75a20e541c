//go:build race

package proof

// RaceDetector reports whether the tests are built with the race detector.
const RaceDetector = true
