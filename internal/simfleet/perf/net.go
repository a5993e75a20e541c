package perf

import "github.com/vperf/vperf/internal/simfleet/load"

// netCounter returns a traffic counter per slot, of hosts by NIC and of VMs by virtual NIC.
func netCounter(name string, k kind, of func(*load.Traffic) int64) perfCounter {
	return counterOf(name, k).
		ofHosts(hostNICs, func(f *hostSample, n int) int64 {
			sum := new(load.Traffic)
			for i := range f.PNICs {
				if n == 0 || n == i+1 {
					sum.Plus(f.NIC(i), load.Whole)
				}
			}
			return of(sum)
		}).
		ofVMs(vmNICs, func(f *vmSample, n int) int64 {
			sum := new(load.Traffic)
			for i := range f.NICs {
				if n == 0 || n == i+1 {
					sum.Plus(&f.NICs[i], load.Whole)
				}
			}
			return of(sum)
		})
}

func netCounters() []perfCounter {
	none := func(*load.Traffic) int64 { return 0 }
	return []perfCounter{
		netCounter("net.usage.average", inKBps, func(t *load.Traffic) int64 { return perSecond((t.RxBytes + t.TxBytes) >> 10) }),
		netCounter("net.bytesTx.average", inKBps, func(t *load.Traffic) int64 { return perSecond(t.TxBytes >> 10) }),
		netCounter("net.bytesRx.average", inKBps, func(t *load.Traffic) int64 { return perSecond(t.RxBytes >> 10) }),
		netCounter("net.transmitted.average", inKBps, func(t *load.Traffic) int64 { return perSecond(t.TxBytes >> 10) }),
		netCounter("net.received.average", inKBps, func(t *load.Traffic) int64 { return perSecond(t.RxBytes >> 10) }),
		netCounter("net.packetsTx.summation", inNumber, func(t *load.Traffic) int64 { return t.TxPackets }),
		netCounter("net.packetsRx.summation", inNumber, func(t *load.Traffic) int64 { return t.RxPackets }),
		netCounter("net.droppedTx.summation", inNumber, func(t *load.Traffic) int64 { return t.DroppedTx }),
		netCounter("net.droppedRx.summation", inNumber, func(t *load.Traffic) int64 { return t.DroppedRx }),
		netCounter("net.multicastTx.summation", inNumber, func(t *load.Traffic) int64 { return t.TxMulticast }),
		netCounter("net.multicastRx.summation", inNumber, func(t *load.Traffic) int64 { return t.RxMulticast }),
		netCounter("net.broadcastTx.summation", inNumber, func(t *load.Traffic) int64 { return t.TxBroadcast }),
		netCounter("net.broadcastRx.summation", inNumber, func(t *load.Traffic) int64 { return t.RxBroadcast }),
		netCounter("net.errorsTx.summation", inNumber, none),
		netCounter("net.errorsRx.summation", inNumber, none),
	}
}
