package advice

import "testing"

// Long is for tests that hold every rule against every example many times: they work one after the other, so the race detector
// finds nothing and takes its time. make test runs them without it, after all others.
func Long(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("long under the race detector: make test runs it without")
	}
}
