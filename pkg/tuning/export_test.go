package tuning

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// DigestForTest returns the digest that matches a plan in its current state.
func DigestForTest(t *testing.T, p *Plan) string {
	t.Helper()
	d, err := p.digest()
	require.NoError(t, err)
	return d
}
