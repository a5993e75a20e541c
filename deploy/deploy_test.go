package deploy

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
)

// files are what is made.
func files() map[string]func() ([]byte, error) {
	all := map[string]func() ([]byte, error){
		"prometheus/rules/vperf.recording.yml": Records,
		"prometheus/rules/vperf.alerts.yml":    Alerts,
		"prometheus/rules/vperf.test.yml":      AlertTests,
		"compat/vmware_exporter.rules.yml":     Compat,
	}
	for _, d := range Dashboards() {
		all["grafana/"+d.File] = d.JSON
	}
	return all
}

// What is committed is what the catalogue says.
func TestFiles(t *testing.T) {
	for path, write := range files() {
		t.Run(path, func(t *testing.T) {
			text, err := write()
			require.NoError(t, err)
			golden.Equal(t, path, text)
		})
	}
}

// The page about moving has each name once, as the rules have it.
func TestMovingPage(t *testing.T) {
	const page = "../docs/moving-from-vmware-exporter.md"
	begin, end := []byte("<!-- names: made by go test ./deploy -update -->\n"), []byte("<!-- /names -->")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := bytes.Cut(text, begin)
	require.True(t, found)
	_, after, found := bytes.Cut(rest, end)
	require.True(t, found)
	golden.Equal(t, page, bytes.Join([][]byte{before, begin, []byte("\n" + CompatTable() + "\n"), end, after}, nil))
}
