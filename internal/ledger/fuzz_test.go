package ledger

import (
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// odd generates rows from bytes: any object, owner, name and value.
type odd struct{ data []byte }

func (o *odd) byte() byte {
	if len(o.data) == 0 {
		return 0
	}
	b := o.data[0]
	o.data = o.data[1:]
	return b
}

func (o *odd) one(of ...string) string { return of[int(o.byte())%len(of)] }

func (o *odd) value() float64 {
	var b [8]byte
	o.data = o.data[copy(b[:], o.data):]
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
}

func (o *odd) frame() *esxtop.Frame {
	f := &esxtop.Frame{
		MoID: o.one("host-1", "host-2", "", "vm-1"), Origin: esxtop.Origin(o.byte() % 3),
		Time: start.Add(time.Duration(int8(o.byte())) * 7 * time.Second), Interval: time.Duration(int8(o.byte())) * time.Second,
	}
	if o.byte() == 255 {
		f.Time = time.Unix(int64(o.value()), 0)
	}
	for range o.byte() % 8 {
		object := esxtop.Object(o.byte() % 21)
		if object == esxtop.Object(20) {
			f.Put(esxtop.PCPU, f.Rows(esxtop.Host)) // of another object
			continue
		}
		var rows []esxtop.Row
		for range o.byte() % 4 {
			r := esxtop.NewRow(object, o.one("", "0", "9", "\xff", "a\"\\\n"), o.one("", "vmx-vcpu-0:a", "web.eth0", "x.", "\xfe"))
			r.Parent, r.VM, r.MoID = int(int8(o.byte()))%3, o.byte()%2 == 0, o.one("", "vm-1", "host-1", "vm-9")
			metrics := esxtop.MetricsOf(object)
			for range o.byte() % 4 {
				r.Set(metrics[int(o.byte())%len(metrics)], o.value())
			}
			rows = append(rows, r)
		}
		f.Put(object, rows)
	}
	return f
}

// FuzzTake: whatever sources return, a page has no duplicate series, all values are numbers, and no counter decreases
// while its object exists.
func FuzzTake(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x01\x05\x14\x00\x03\x03\x02\x01\x00\x00\x00\x01\x01\x05\x00\x00\x00\x00\x00\x00\xf0\x3f\x02\x02\x02"))
	f.Add([]byte(strings.Repeat("\x00\x01\x09\x14\x00\x07\x03\x02\x01\x01\x00\x00\x01\x02\x05\x00\x00\x00\x00\x00\x00\xf0\x3f\x01\xff\xff\xff\xff\xff\xff\xef\x7f", 5)))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := &odd{data}
		l := newLedger(Options{Objects: esxtop.AllObjects, MaxSeries: int(o.byte()), Stale: 1000 * time.Hour})
		before := map[string]float64{}
		for n := 0; len(o.data) > 0 && n < 50; n++ {
			switch o.byte() % 4 {
			case 0:
				l.Expect([]Host{{MoID: "host-1", Up: o.byte()%2 == 0}, {Name: "b"}}, []VM{{MoID: "vm-1", Name: o.one("", "a", "\xff"), On: o.byte()%2 == 0}})
			case 1:
				statsAt(l, start.Add(time.Duration(o.byte())*time.Minute))
			default:
				take(l, &esxtop.Round{Time: start, Frames: []*esxtop.Frame{o.frame()}, Past: o.byte()%8 == 0, Troubles: []esxtop.Trouble{{Host: "b", Err: io.EOF}}})
			}
			seen := map[string]bool{}
			l.Walk(esxtop.AllObjects, func(family exposition.Family, labels exposition.Labels, v float64, _ time.Time) {
				series := family.Name + string(labels)
				require.False(t, seen[series], "%s is there twice", series)
				seen[series] = true
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0), series)
				if family.Kind == exposition.Counter {
					require.GreaterOrEqual(t, v, before[series], series)
					before[series] = v
				}
			})
			for series := range before {
				if part := strings.Count(series, `="`) > 2; part && !seen[series] {
					delete(before, series) // it may have been forgotten
				}
			}
			require.Len(t, seen, statsAt(l, start).Series)
		}
	})
}
