package batch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// FuzzReadCSV reads any input as a capture. A capture that can be read can be written, and is equal when it is read
// again.
func FuzzReadCSV(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(compressed(small)))
	f.Add([]byte("junk" + strings.ReplaceAll(small, "\n", ",\r")))
	f.Add([]byte(strings.ReplaceAll(small, `"`, "")))
	f.Add([]byte(small + small))
	f.Add([]byte(bzipped))
	f.Add([]byte(wideText("\ufeff"+small, binary.LittleEndian)))
	f.Add([]byte(strings.NewReplacer(",", ";", "1.07", "1,07", "590", "-590", "04/24", "24.04").Replace(small)))
	f.Add([]byte(`(PDH-CSV 4.0) (UTC)(0)","\\h\PCPU Power State(PCPU 0)\%C-State C0",   -"\\h\Power(1)\P-State MHZ",   -` + "\n1:02,\"1\",  2\"3\",  4"))
	f.Add([]byte(`"(PDH-CSV 4.0) (x)(-90)","\\h\Virtual Disk(a)\Reads/sec","\\h\Virtual Disk(a)\Reads/sec","\\h\Virtual Disk(a:ide0:1)\Reads/sec","\\h\Network Port(a:1:2:b)\Link Up?","\\i\Vcpu(1:a:2:vmx-vcpu-0:a)\% Ready","\\i\Interrupt Vector(0xf:CPU3)\Interrupts/second","\\i\Physical Disk Partition(a-1)\Reads/sec"` +
		"\n\"1/1/2020 1:00 PM\n\",1,2,3,4,5,6,7\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file), esxtop.AllObjects)
		if err != nil {
			return
		}
		var rounds []*esxtop.Round
		var columns *csvColumns
		for len(rounds) < 100 {
			round, err := r.Next()
			if err != nil {
				break
			}
			if columns != nil && columns != r.columns {
				break // a writer has one header
			}
			columns = r.columns
			rounds = append(rounds, round)
			for _, frame := range round.Frames {
				require.GreaterOrEqual(t, frame.Interval, time.Duration(0))
				for o := range esxtop.NumObjects {
					for i := range frame.Rows(o) {
						row := &frame.Rows(o)[i]
						require.Equal(t, o, row.Object)
						require.Less(t, row.Parent, max(1, len(frame.Rows(o.Parent()))))
					}
				}
			}
		}
		_ = r.Report()
		var b bytes.Buffer
		w := NewWriter(&b, Options{All: true})
		for _, round := range rounds {
			if year := round.Time.Year(); year < 1 || year > 9999 {
				return
			}
			require.NoError(t, w.Write(round))
		}
		if b.Len() == 0 {
			return
		}
		again, err := NewReader(&b, esxtop.AllObjects)
		if err != nil {
			return // nothing that is written has a figure
		}
		n := 0
		for ; ; n++ {
			_, err := again.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
		require.Equal(t, len(rounds), n)
	})
}

// FuzzColumnPath parses a column's name and formats it again.
func FuzzColumnPath(f *testing.F) {
	f.Add(`\\localhost.home\Group Cpu(1302698:styx)\% VmWait`)
	f.Add(`\\h\Memory\Memory Overcommit (1 Minute Avg)`)
	f.Add(`   -"\\h\Vcpu(1:a\b)(:2:vmx-vcpu-0:a\b)()\% Ready`)
	f.Add(`\\h\Physical Cpu(_Total)\% Util Time`)
	f.Fuzz(func(t *testing.T, name string) {
		p, ok := parsePath(name)
		if !ok {
			return
		}
		require.NotContains(t, p.host, `\`)
		require.NotContains(t, p.counter, `\`)
		require.NotContains(t, p.group, "(")
		again, ok := parsePath(p.String())
		require.True(t, ok)
		require.Equal(t, p, again)
		_, after, _ := strings.Cut(name, `\\`)
		if strings.HasSuffix(after, `)\`+p.counter) || !p.instanced {
			require.Equal(t, `\\`+after, p.String())
		}
		columns := newCSVColumns([]headerField{{}, {text: name}, {leak: true, text: name}})
		for _, at := range columns.list {
			require.GreaterOrEqual(t, at.metric.Slot(at.object), 0)
			require.Less(t, int(at.row), len(columns.hosts[at.host].rows[at.object]))
		}
	})
}
