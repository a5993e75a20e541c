package inventory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewerThanTables(t *testing.T) {
	require.Equal(t, "9.0.1", NewestRelease())
	for text, want := range map[string]bool{"6.7.0": false, "8.0.3": false, "9.0.0": false, "9.0.1": false, "9.0.2": true, "9.1.0": true, "10.0.0": true} {
		v, err := ParseVersion(text)
		require.NoError(t, err)
		require.Equal(t, want, v.NewerThanTables(), text)
	}
	for release, want := range map[string]string{"7.0U3r": "7.0.3", "8.0": "8.0.0", "9.0.1": "9.0.1"} {
		v, err := releaseVersion(release)
		require.NoError(t, err)
		require.Equal(t, want, v.String())
	}
}
