package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/report"
)

func TestYAMLKeepsOrderAndTypes(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.YAML(&b, []byte(`{"z": 1, "a": ["no", "1", true, null, "two\nlines", 1.50], "m": {}, "e": []}`)))
	require.Equal(t, "z: 1\na:\n  - \"no\"\n  - \"1\"\n  - true\n  - null\n  - |-\n    two\n    lines\n  - 1.50\nm: {}\ne: []\n", b.String())
	require.Error(t, report.YAML(&b, []byte(`{"z": `)))
}

// TestYAMLOfAnAudit checks that YAML and JSON hold the same values, including hostile names.
func TestYAMLOfAnAudit(t *testing.T) {
	var plain, asYAML bytes.Buffer
	require.NoError(t, report.JSON(&plain, audit(t, true)))
	require.NoError(t, report.YAML(&asYAML, plain.Bytes()))
	var fromYAML any
	require.NoError(t, yaml.Unmarshal(asYAML.Bytes(), &fromYAML))
	again, err := json.Marshal(fromYAML)
	require.NoError(t, err)
	require.JSONEq(t, plain.String(), string(again))
}
