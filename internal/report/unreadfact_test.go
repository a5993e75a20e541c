package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestNotReadNamesAFewOfEachReason(t *testing.T) {
	r := &advice.Result{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		r.UnreadObjects = append(r.UnreadObjects, advice.Gap{Object: inventory.Ref{Kind: inventory.ScopeVM, Name: name}, Reason: "no permission"})
	}
	r.UnreadObjects = append(r.UnreadObjects, advice.Gap{Object: inventory.Ref{Kind: inventory.ScopeHost, Name: "h\x1b"}, Reason: "host not responding"})
	require.Equal(t, []string{"vm a, b, c and 2 more: no permission", `host h\x1b: host not responding`}, notRead(r))
}
