package measure

import (
	"context"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// Offer is what a server's PerformanceManager keeps.
type Offer struct {
	RealTime time.Duration // between samples of a host; 0: it keeps none
	Rollups  []RollupInterval
}

// ReadOffer asks the PerformanceManager what it keeps of a host, by its id, without reading counters.
func ReadOffer(ctx context.Context, s *session.Session, host string) (Offer, error) {
	manager := s.Client().ServiceContent.PerfManager
	if manager == nil {
		return Offer{}, &session.ConnectError{Host: s.Host(), Operation: "reading counters of", Why: "it has no PerformanceManager"}
	}
	summary, err := methods.QueryPerfProviderSummary(ctx, s, &types.QueryPerfProviderSummary{This: *manager, Entity: ref{Type: property.TypeHost, Value: host}})
	if err != nil {
		return Offer{}, err
	}
	var o Offer
	if summary.Returnval.CurrentSupported && summary.Returnval.RefreshRate > 0 {
		o.RealTime = seconds(summary.Returnval.RefreshRate)
	}
	p, err := property.Object(ctx, s, *manager, "historicalInterval")
	if err != nil {
		return o, err
	}
	intervals, _ := property.Read(p, "historicalInterval", property.As[types.ArrayOfPerfInterval], property.Required).Value()
	o.Rollups = enabled(intervals.PerfInterval)
	return o, nil
}

// OffersEsxtop returns nil if a host's Esxtop service can be found and used by the account.
func OffersEsxtop(ctx context.Context, s *session.Session, host string) error {
	if _, err := findEsxtop(ctx, s, host); err != nil {
		return esxtopError(s, host, err)
	}
	return nil
}
