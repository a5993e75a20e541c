package deploy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
)

// What is committed is what the catalogue says.
func TestFiles(t *testing.T) {
	for path, make := range map[string]func() ([]byte, error){
		"prometheus/rules/vperf.recording.yml": Records,
		"prometheus/rules/vperf.alerts.yml":    Alerts,
		"prometheus/rules/vperf.test.yml":      AlertTests,
	} {
		t.Run(path, func(t *testing.T) {
			text, err := make()
			require.NoError(t, err)
			golden.Equal(t, path, text)
		})
	}
}
