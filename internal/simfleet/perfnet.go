package simfleet

// netCounter is a figure of the traffic in a slot, of hosts by NIC and of VMs by virtual NIC.
func netCounter(name string, k kind, of func(*traffic) int64) perfCounter {
	return counterOf(name, k).
		ofHosts(hostNICs, func(f *hostSample, n int) int64 {
			sum := new(traffic)
			for i := range f.pnics {
				if n == 0 || n == i+1 {
					sum.plus(f.nic(i), whole)
				}
			}
			return of(sum)
		}).
		ofVMs(vmNICs, func(f *vmSample, n int) int64 {
			sum := new(traffic)
			for i := range f.nics {
				if n == 0 || n == i+1 {
					sum.plus(&f.nics[i], whole)
				}
			}
			return of(sum)
		})
}

// nic is the traffic of a NIC with what it lost.
func (f *hostSample) nic(i int) *traffic {
	t := f.pnics[i]
	t.droppedRx += f.lost[i]
	return &t
}

func netCounters() []perfCounter {
	none := func(*traffic) int64 { return 0 }
	return []perfCounter{
		netCounter("net.usage.average", inKBps, func(t *traffic) int64 { return perSecond((t.rxBytes + t.txBytes) >> 10) }),
		netCounter("net.bytesTx.average", inKBps, func(t *traffic) int64 { return perSecond(t.txBytes >> 10) }),
		netCounter("net.bytesRx.average", inKBps, func(t *traffic) int64 { return perSecond(t.rxBytes >> 10) }),
		netCounter("net.transmitted.average", inKBps, func(t *traffic) int64 { return perSecond(t.txBytes >> 10) }),
		netCounter("net.received.average", inKBps, func(t *traffic) int64 { return perSecond(t.rxBytes >> 10) }),
		netCounter("net.packetsTx.summation", inNumber, func(t *traffic) int64 { return t.txPackets }),
		netCounter("net.packetsRx.summation", inNumber, func(t *traffic) int64 { return t.rxPackets }),
		netCounter("net.droppedTx.summation", inNumber, func(t *traffic) int64 { return t.droppedTx }),
		netCounter("net.droppedRx.summation", inNumber, func(t *traffic) int64 { return t.droppedRx }),
		netCounter("net.multicastTx.summation", inNumber, func(t *traffic) int64 { return t.txMulticast }),
		netCounter("net.multicastRx.summation", inNumber, func(t *traffic) int64 { return t.rxMulticast }),
		netCounter("net.broadcastTx.summation", inNumber, func(t *traffic) int64 { return t.txBroadcast }),
		netCounter("net.broadcastRx.summation", inNumber, func(t *traffic) int64 { return t.rxBroadcast }),
		netCounter("net.errorsTx.summation", inNumber, none),
		netCounter("net.errorsRx.summation", inNumber, none),
	}
}
