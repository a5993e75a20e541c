// Package raced tells tests whether the race detector watches them.
package raced

import "testing"

// Long is for tests that take minutes under the race detector: they work one after the other, so that it finds nothing in them.
// make test runs them without it, after all others.
func Long(t *testing.T) {
	t.Helper()
	if Enabled {
		t.Skip("long under the race detector: make test runs it without")
	}
}
