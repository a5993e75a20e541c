package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestLostLists: a list of an endpoint that is empty because it could not be read is not the empty list.
func TestLostLists(t *testing.T) {
	for reason, want := range map[string]advice.Outcome{"": advice.NotApplicable, "sheet vDatastore could not be read": advice.Unknown} {
		v := &inventory.VCenter{
			Entity: inventory.Entity{ID: "vc", Name: "vc", Unread: reason}, Clusters: []*inventory.Cluster{{Entity: inventory.Entity{ID: "c", Name: "c"}}},
			Libraries: inventory.Known([]*inventory.ContentLibrary{{Name: "images"}}),
		}
		v.Whole = true
		s := &inventory.Snapshot{VCenters: []*inventory.VCenter{v}}
		s.Link()
		r := evaluate(t, s, advice.Options{All: true}, "content-library")
		require.Len(t, r.Findings, 1)
		require.Equal(t, want, r.Findings[0].Outcome, "%q: %s", reason, r.Findings[0].Reason)
	}
}
