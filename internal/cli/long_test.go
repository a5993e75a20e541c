package cli

import "testing"

// long is for tests that take minutes under the race detector: make test runs them without it, after all others.
func long(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("long under the race detector: make test runs it without")
	}
}
