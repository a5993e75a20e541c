package report

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report/view"
)

func TestGridOfAnyWidth(t *testing.T) {
	for width, want := range map[int]string{
		0:  "  of  worst  mean  at\n  a   10     5     noon\n",
		23: "  of  worst  mean  at\n  a   10     5     noon\n",
		22: "  of  worst  at\n  a   10     noon\n",
		17: "  of  worst  at\n  a   10     noon\n",
		16: "  a: worst 10;\n    at noon\n",
	} {
		var b strings.Builder
		p := &page{w: bufio.NewWriter(&b), term: Terminal{Width: width}}
		p.grid(&view.Grid{Head: []string{"of", "worst", "mean", "at"}, Rows: [][]string{{"a", "10", "5", "noon"}}, Spare: []string{"mean"}})
		require.NoError(t, p.w.Flush())
		require.Equal(t, want, b.String(), "%d", width)
	}
}
