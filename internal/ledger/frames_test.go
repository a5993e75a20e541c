package ledger

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// start is a slot.
var start = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// after is the n-th slot from start.
func after(n int) time.Time { return start.Add(time.Duration(n) * 20 * time.Second) }

// figures are values by the id of their metrics.
type figures map[string]float64

// row returns a row with figures. Its id is also its name.
func row(o esxtop.Object, id string, of figures) esxtop.Row {
	r := esxtop.NewRow(o, id, id)
	r.Parent = -1
	for metric, v := range of {
		r.Set(esxtop.Lookup(metric), v)
	}
	return r
}

// vmRow returns a row that belongs to a VM.
func vmRow(o esxtop.Object, moid, id string, of figures) esxtop.Row {
	r := row(o, id, of)
	r.VM, r.MoID = true, moid
	return r
}

// frame returns a frame of the PerformanceManager: the host's row, and others.
func frame(host string, at time.Time, rows ...esxtop.Row) *esxtop.Frame {
	f := &esxtop.Frame{Host: host, MoID: host, Time: at, Interval: 20 * time.Second, Origin: esxtop.Performance}
	tables := map[esxtop.Object][]esxtop.Row{}
	for _, r := range rows {
		tables[r.Object] = append(tables[r.Object], r)
	}
	for o, list := range tables {
		f.Put(o, list)
	}
	return f
}

// service makes a frame one of the Esxtop service.
func service(f *esxtop.Frame, interval time.Duration) *esxtop.Frame {
	f.Origin, f.Interval = esxtop.Service, interval
	return f
}

func hostRow(host string, of figures) esxtop.Row { return row(esxtop.Host, host, of) }

// ready returns a VM's group that was ready for some percent of the time.
func ready(moid string, percent float64) esxtop.Row {
	return vmRow(esxtop.Group, moid, moid, figures{"cpu.ready": percent})
}

// round returns a round of some frames at the time of the latest.
func round(frames ...*esxtop.Frame) *esxtop.Round {
	r := &esxtop.Round{Frames: frames}
	for _, f := range frames {
		if f.Time.After(r.Time) {
			r.Time = f.Time
		}
	}
	return r
}

// clock is the clock of all tests: the time of the round or page that they are at.
var clock time.Time

func newLedger(o Options) *Ledger {
	clock = start
	o.Now = func() time.Time { return clock }
	return New(o)
}

// forward sets the clock, which does not go back.
func forward(to time.Time) {
	if to.After(clock) {
		clock = to
	}
}

// take has a round arrive at its time.
func take(l *Ledger, r *esxtop.Round) {
	if !r.Past {
		forward(r.Time)
	}
	l.Take(r)
	l.Stats(clock)
}

// again makes a round one that is read again: newer samples are there.
func again(r *esxtop.Round) *esxtop.Round {
	for i, f := range r.Frames {
		older := *f
		older.Age = 20 * time.Second
		r.Frames[i] = &older
	}
	return r
}

func statsAt(l *Ledger, now time.Time) Stats {
	forward(now)
	return l.Stats(now)
}

func changesAt(l *Ledger, now time.Time) (count uint64, until time.Time) {
	forward(now)
	return l.Changes(now)
}

// fleet returns a ledger that expects host-1 with running vm-1 and vm-2.
func fleet(t *testing.T, o Options) *Ledger {
	t.Helper()
	if o.Objects == 0 {
		o.Objects = esxtop.AllObjects
	}
	l := newLedger(o)
	l.Expect(hostsUp("host-1", "host-2"), vmsOn("vm-1", "vm-2"))
	return l
}

func hostsUp(ids ...string) (list []Host) {
	for _, id := range ids {
		list = append(list, Host{MoID: id, Name: "esx-" + id, Up: true})
	}
	return list
}

func vmsOn(ids ...string) (list []VM) {
	for _, id := range ids {
		list = append(list, VM{MoID: id, Name: "name-" + id, Host: "host-1", On: true})
	}
	return list
}

// page returns the values of all series, without HELP and TYPE lines.
func page(t *testing.T, l *Ledger, now time.Time) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, line := range lines(t, l, now) {
		i := strings.LastIndexByte(line, ' ')
		v, err := strconv.ParseFloat(line[i+1:], 64)
		require.NoError(t, err)
		require.NotContains(t, all, line[:i], "the series is there twice")
		all[line[:i]] = v
	}
	return all
}

// lines returns the series of a page in order.
func lines(t *testing.T, l *Ledger, now time.Time) (list []string) {
	t.Helper()
	var b bytes.Buffer
	w := exposition.NewWriter(&b, exposition.Text)
	forward(now)
	l.Write(w, esxtop.AllObjects)
	require.NoError(t, w.Close())
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && line != "" {
			list = append(list, line)
		}
	}
	return list
}

// reasons returns the numbers of missed samples by reason, without zeros.
func reasons(l *Ledger, now time.Time) map[string]uint64 {
	missed := statsAt(l, now).Missed
	for reason, n := range missed {
		if n == 0 {
			delete(missed, reason)
		}
	}
	return missed
}

var errTimeout = errors.New("it took too long")

// reasonOf replaces the exporter's own function.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, errTimeout):
		return "timeout"
	case errors.Is(err, io.EOF):
		return "connection"
	}
	return ""
}
