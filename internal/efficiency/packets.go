package efficiency

import "github.com/vperf/vperf/pkg/inventory"

const aboutSize = "Mean size of a packet as the NICs count them, with headers. Large receive offload and TSO join packets: a mean above the MTU shows " +
	"that they are at work, and one that moves may be they, not the traffic."

var (
	packetsReceived = kind{
		"packets-rx", "packets received", "packets/s",
		"Packets that the NICs received. Each costs about the same CPU, small or large; large receive offload makes few large ones of many.",
	}
	packetsSent = kind{
		"packets-tx", "packets sent", "packets/s",
		"Packets that the NICs sent, those among them that only acknowledge. Each costs about the same CPU, small or large; with TSO the NIC " +
			"cuts large ones, and they count once.",
	}
	sizeReceived = kind{"packet-size-rx", "size of received packets", "bytes", aboutSize}
	sizeSent     = kind{"packet-size-tx", "size of sent packets", "bytes", aboutSize}
)

// packets returns the packet rates and mean packet sizes of a host's NICs.
func packets(h *inventory.Host) []Figure {
	of := h.Ref()
	rx := counter(h.Live, "net.packetsRx", mean).in("packets/s received on average")
	tx := counter(h.Live, "net.packetsTx", mean).in("packets/s sent on average")
	in := counter(h.Live, "net.rx", mean).in("Mb/s received on average")
	out := counter(h.Live, "net.tx", mean).in("Mb/s sent on average")
	return []Figure{
		packetsReceived.of(of, total, rx),
		packetsSent.of(of, total, tx),
		sizeReceived.of(of, size, in, rx.atLeast(leastPackets, "packets/s")),
		sizeSent.of(of, size, out, tx.atLeast(leastPackets, "packets/s")),
	}
}

// size returns the bytes per packet, from megabits and packets per second.
func size(v []float64) float64 {
	const bytesOfMb = 1e6 / 8
	return v[0] * bytesOfMb / v[1]
}
