package load

// fraction is the fraction of a slot to add, or the number of slots.
type fraction struct{ num, den int64 }

// Whole adds all of a slot: pass it to Plus for a plain sum.
var Whole = fraction{1, 1}

func (f fraction) of(n int64) int64 { return n * f.num / f.den }

// Plus adds a part of others. Commands other than reads and writes are counted separately, so that rounding never decreases them.
func (c *IO) Plus(o *IO, part fraction) {
	c.Commands += part.of(o.Reads) + part.of(o.Writes) + part.of(o.Commands-o.Reads-o.Writes)
	c.Reads += part.of(o.Reads)
	c.Writes += part.of(o.Writes)
	c.BlocksRead += part.of(o.BlocksRead)
	c.BlocksWritten += part.of(o.BlocksWritten)
	c.Aborts += part.of(o.Aborts)
	c.Resets += part.of(o.Resets)
	c.Conflicts += part.of(o.Conflicts)
	c.ReadIssue += part.of(o.ReadIssue)
	c.ReadQueue += part.of(o.ReadQueue)
	c.ReadTotal += part.of(o.ReadTotal)
	c.WriteIssue += part.of(o.WriteIssue)
	c.WriteQueue += part.of(o.WriteQueue)
	c.WriteTotal += part.of(o.WriteTotal)
}

// part returns the traffic of the nth of a number of paths. The parts add up to the whole, and never decrease.
func (c *IO) part(n, of int64) IO {
	cut := func(v int64) int64 { return (v + n) / of }
	return IO{
		Commands: cut(c.Reads) + cut(c.Writes) + cut(c.Commands-c.Reads-c.Writes), Reads: cut(c.Reads), Writes: cut(c.Writes),
		BlocksRead: cut(c.BlocksRead), BlocksWritten: cut(c.BlocksWritten), Aborts: cut(c.Aborts), Resets: cut(c.Resets),
		Conflicts: cut(c.Conflicts), ReadIssue: cut(c.ReadIssue), ReadQueue: cut(c.ReadQueue), ReadTotal: cut(c.ReadTotal),
		WriteIssue: cut(c.WriteIssue), WriteQueue: cut(c.WriteQueue), WriteTotal: cut(c.WriteTotal),
	}
}

// Plus adds a part of others.
func (t *Traffic) Plus(o *Traffic, part fraction) {
	t.TxPackets += part.of(o.TxPackets)
	t.TxBytes += part.of(o.TxBytes)
	t.RxPackets += part.of(o.RxPackets)
	t.RxBytes += part.of(o.RxBytes)
	t.DroppedTx += part.of(o.DroppedTx)
	t.DroppedRx += part.of(o.DroppedRx)
	t.TxMulticast += part.of(o.TxMulticast)
	t.TxBroadcast += part.of(o.TxBroadcast)
	t.RxMulticast += part.of(o.RxMulticast)
	t.RxBroadcast += part.of(o.RxBroadcast)
}
