package live

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// traffic is the traffic of some ports.
type traffic struct{ rx, tx flow }

// flow is one direction, per second. Each figure is the sum over the ports that have it.
type flow struct {
	mbits, packets   sum
	offered, dropped sum // of ports that count drops: their packets, and the dropped ones
}

// direction is the metrics of a flow.
type direction struct{ rate, packets, dropped, lost *esxtop.Metric }

var (
	receiving = direction{metric("net.rateRx"), metric("net.packetsRx"), metric("net.droppedRxRate"), metric("net.droppedRx")}
	sending   = direction{metric("net.rateTx"), metric("net.packetsTx"), metric("net.droppedTxRate"), metric("net.droppedTx")}
)

// ofPorts are the metrics that the traffic of ports is computed from.
var ofPorts = []*esxtop.Metric{
	receiving.rate, receiving.packets, receiving.dropped, receiving.lost, sending.rate, sending.packets, sending.dropped, sending.lost, uplink,
}

// megabit is the size of esxtop's megabit, 2^20 bits, in megabits of 10^6 bits, the unit of link speeds.
const megabit = float64(1<<20) / 1e6

func (f *flow) add(port *esxtop.Row, d *direction, interval time.Duration) {
	if v, ok := port.Value(d.rate); ok {
		f.mbits.add(v * megabit)
	}
	packets, ok := port.Value(d.packets)
	if !ok {
		return
	}
	f.packets.add(packets)
	if dropped, ok := d.drops(port, packets, interval); ok {
		f.offered.add(packets + dropped)
		f.dropped.add(dropped)
	}
}

// drops returns the packets that a port dropped per second. Captures have only the ratio; if all were dropped, at least
// one packet was, and without packets there is no ratio.
func (d *direction) drops(port *esxtop.Row, packets float64, interval time.Duration) (float64, bool) {
	if dropped, ok := port.Value(d.dropped); ok {
		return dropped, true
	}
	percent, ok := port.Value(d.lost)
	switch {
	case !ok:
		return 0, packets == 0
	case percent >= 100:
		return max(packets, 1/interval.Seconds()), true
	}
	return packets * percent / (100 - percent), true
}

// lost returns the ratio of dropped packets. Without packets there is none.
func (f *flow) lost() (float64, presence) {
	switch {
	case !f.dropped.present:
		return 0, notReported
	case f.offered.value == 0:
		return 0, notMeasured
	}
	return f.dropped.value / f.offered.value * 100, figure
}
