// Package proof says how much a test proves. make test takes samples, which answer in minutes; make prove tries everything.
//
// A test that has more to prove than a sample is named TestProve…: the Makefile finds it by that name, and runs it whole in
// make prove. go test -short takes the sample, as make test does.
//
// A few proofs take most of an hour in whole. They ask Long, and make prove tries each kind of case; make prove-long tries every case.
package proof

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// Prefix is the name prefix of such tests.
const Prefix = "TestProve"

// Everything reports whether the test checks all cases instead of a sample.
func Everything(t *testing.T) bool {
	t.Helper()
	if !strings.HasPrefix(t.Name(), Prefix) {
		t.Fatalf("make prove does not find %s: its name has to begin with %s", t.Name(), Prefix)
	}
	return !testing.Short()
}

// Long reports whether the test checks all cases even if that takes most of an hour.
func Long(t *testing.T) bool {
	t.Helper()
	return Everything(t) && os.Getenv(longVariable) == "long"
}

// longVariable is set to "long" by make prove-long.
const longVariable = "PROVE"

// NotRaced skips the test in builds with the race detector, where it takes several times as long. It is for tests whose code starts no
// goroutines, or is run by other tests under the race detector. make ci runs it plain.
func NotRaced(t *testing.T) {
	t.Helper()
	if RaceDetector {
		t.Skip("not under the race detector, where it takes long: its code starts no goroutines, or other tests run it there; make ci runs this test plain")
	}
}

// Count returns the number of tries: all in make prove, otherwise few.
func Count(t *testing.T, few, all int) int {
	t.Helper()
	if Everything(t) {
		return all
	}
	return few
}

// Sample returns the whole list in make prove, otherwise n of its items in the same order. The choice is always the same, so
// that a test fails because of a change and not by chance.
func Sample[T any](t *testing.T, n int, list []T) []T {
	t.Helper()
	if Everything(t) {
		return list
	}
	return chosen(n, list)
}

// SampleLong returns few items of a list in make test, many in make prove, and all in make prove-long.
func SampleLong[T any](t *testing.T, few, many int, list []T) []T {
	t.Helper()
	if Long(t) {
		return list
	}
	return chosen(Count(t, few, many), list)
}

// chosen returns n items of a list in their order.
func chosen[T any](n int, list []T) []T {
	if n >= len(list) {
		return list
	}
	dice := rand.New(rand.NewPCG(uint64(len(list)), 0)) //nolint:gosec // for a test
	out := make([]T, 0, n)
	for i, item := range list {
		if dice.IntN(len(list)-i) < n-len(out) {
			out = append(out, item)
		}
	}
	return out
}
