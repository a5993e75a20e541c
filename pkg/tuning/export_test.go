package tuning

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// DigestForTest is the digest that fits a plan, whatever was done to it.
func DigestForTest(t *testing.T, p *Plan) string {
	t.Helper()
	d, err := p.digest()
	require.NoError(t, err)
	return d
}
