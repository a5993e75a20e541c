package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// measures has one entry for each of inventory.LiveMetrics, which a test checks.
var measures = assemble(
	ofCatalogue(esxtop.Catalogue()), ofHosts(), ofNodes(),
	ofTraffic(inventory.ScopeVM, append([]esxtop.Object{esxtop.Port}, ofGroups...)...),
	ofTraffic(inventory.ScopeHost, esxtop.Port),
	ofTraffic(inventory.ScopePNIC, esxtop.Port),
)

func assemble(parts ...[]measure) []measure {
	all := slices.Concat(parts...)
	for i := range all {
		m, _ := inventory.LookupLive(all[i].scope, all[i].name)
		all[i].below = m.Below
	}
	return all
}

// ofTraffic returns the measures of the traffic through all ports of an object.
func ofTraffic(scope inventory.Scope, needs ...esxtop.Object) []measure {
	of := func(name string, read func(*traffic) (float64, presence)) measure {
		return measure{scope: scope, name: name, needs: needs, reads: ofPorts, read: func(s *subject) (float64, presence) {
			if s.traffic == nil {
				return 0, notReported
			}
			return read(s.traffic)
		}}
	}
	return []measure{
		of("net.rx", func(t *traffic) (float64, presence) { return t.rx.mbits.read() }),
		of("net.tx", func(t *traffic) (float64, presence) { return t.tx.mbits.read() }),
		of("net.packetsRx", func(t *traffic) (float64, presence) { return t.rx.packets.read() }),
		of("net.packetsTx", func(t *traffic) (float64, presence) { return t.tx.packets.read() }),
		of("net.droppedRx", func(t *traffic) (float64, presence) { return t.rx.lost() }),
		of("net.droppedTx", func(t *traffic) (float64, presence) { return t.tx.lost() }),
	}
}
