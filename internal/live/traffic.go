package live

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// traffic is what goes through some ports.
type traffic struct{ rx, tx flow }

// flow is one direction of it, by second. Each figure is the sum over the ports that have it.
type flow struct {
	mbits, packets   sum
	offered, dropped sum // packets of ports that tell what they dropped, those among them, and what they dropped
}

// direction is the metrics that tell of a flow.
type direction struct{ rate, packets, dropped, lost *esxtop.Metric }

var (
	receiving = direction{metric("net.rateRx"), metric("net.packetsRx"), metric("net.droppedRxRate"), metric("net.droppedRx")}
	sending   = direction{metric("net.rateTx"), metric("net.packetsTx"), metric("net.droppedTxRate"), metric("net.droppedTx")}
)

// megabit is how many megabits of 10^6 bits, as links are sold, one of esxtop's is, which has 2^20.
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

// drops is how many packets a port dropped a second. Captures have the share alone; where all was dropped that was one packet
// at least, and where nothing came there is no share.
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

// lost is the share that was dropped, of what came. Where nothing came there is none.
func (f *flow) lost() (float64, telling) {
	switch {
	case !f.dropped.told:
		return 0, untold
	case f.offered.value == 0:
		return 0, nothing
	}
	return f.dropped.value / f.offered.value * 100, figure
}
