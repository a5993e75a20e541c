package report_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// The committed guide is what the rules say now.
func TestGuideIsCurrent(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.Guide(&b, l.Rules()))
	golden.Equal(t, "../../docs/best-practices.md", b.Bytes())
}
