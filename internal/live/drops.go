package live

import "github.com/vperf/vperf/pkg/esxtop"

var (
	packetsRx = metric("net.packetsRx")
	droppedRx = metric("net.droppedRxRate")
	uplink    = metric("net.uplink")
)

// received is what came in at some ports, and what of it was dropped, by second.
type received struct {
	packets, dropped float64
	told             bool
}

func (r *received) add(row *esxtop.Row) {
	packets, ok := row.Value(packetsRx)
	dropped, too := row.Value(droppedRx)
	if ok && too {
		r.packets, r.dropped, r.told = r.packets+packets, r.dropped+dropped, true
	}
}

// into gives the share that was dropped, of what came. Where nothing came there is none.
func (r *received) into(t *tally, moid string) {
	switch {
	case !r.told:
	case r.packets+r.dropped == 0:
		t.idle(moid)
	default:
		t.add(moid, r.dropped/(r.packets+r.dropped)*100)
	}
}

// dropsOfVMs takes all ports of a VM together.
func dropsOfVMs(t *tally, f *esxtop.Frame) {
	byVM := map[string]*received{}
	for i := range f.Rows(esxtop.Port) {
		row := &f.Rows(esxtop.Port)[i]
		if !row.VM || row.MoID == "" {
			continue
		}
		if byVM[row.MoID] == nil {
			byVM[row.MoID] = new(received)
		}
		byVM[row.MoID].add(row)
	}
	for moid, r := range byVM {
		r.into(t, moid)
	}
}

// dropsOfHost takes all uplinks together.
func dropsOfHost(t *tally, f *esxtop.Frame) {
	var r received
	for i := range f.Rows(esxtop.Port) {
		row := &f.Rows(esxtop.Port)[i]
		if is, ok := row.Value(uplink); ok && is != 0 {
			r.add(row)
		}
	}
	r.into(t, f.MoID)
}
