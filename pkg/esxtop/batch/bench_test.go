package batch

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// largeHost returns a host with as many columns as typical captures of users: 60 groups of 8 worlds, half of them VMs.
func largeHost() *esxtop.Frame {
	f := newFleet(1)
	for o := range esxtop.NumObjects {
		for _, m := range esxtop.MetricsOf(o) {
			f.services[o][m] = true
		}
	}
	frame := &esxtop.Frame{Host: "esx01.lab.example", Origin: esxtop.Service, Interval: 5 * time.Second}
	tables := map[esxtop.Object][]esxtop.Row{}
	add := func(o esxtop.Object, id, name string, parent int) {
		r := esxtop.NewRow(o, id, name)
		r.Parent = parent
		for _, m := range esxtop.MetricsOf(o) {
			if m.Kind != esxtop.Text {
				r.Set(m, float64(f.Intn(10_000))/100)
			}
		}
		tables[o] = append(tables[o], r)
	}
	add(esxtop.Host, frame.Host, frame.Host, -1)
	for i := range 16 {
		add(esxtop.PCPU, strconv.Itoa(i), strconv.Itoa(i), -1)
	}
	for i := range 60 {
		id := strconv.Itoa(1000 + i)
		add(esxtop.Group, id, "group"+id, -1)
		tables[esxtop.Group][i].VM = i%2 == 0
		for j := range 8 {
			add(esxtop.World, strconv.Itoa(10_000+8*i+j), "vmx-vcpu-"+strconv.Itoa(j)+":group"+id, i)
		}
		add(esxtop.Device, "naa.60000000"+id, "naa.60000000"+id, -1)
		add(esxtop.DiskVM, "group"+id, "group"+id, -1)
	}
	for o, rows := range tables {
		frame.Put(o, rows)
	}
	return frame
}

// manyRows is a capture that is generated while it is read.
type manyRows struct {
	rest []byte
	row  []byte
	at   time.Time
	left int64
}

func newManyRows(tb testing.TB, size int64) *manyRows {
	var b bytes.Buffer
	w := NewWriter(&b, Options{All: true})
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(tb, w.Write(&esxtop.Round{Time: at, Frames: []*esxtop.Frame{largeHost()}}))
	header, row, _ := bytes.Cut(b.Bytes(), []byte{'\n'})
	return &manyRows{rest: append(bytes.Clone(header), '\n'), row: bytes.Clone(row), at: at, left: size}
}

func (m *manyRows) Read(b []byte) (int, error) {
	if len(m.rest) == 0 {
		if m.left <= 0 {
			return 0, io.EOF
		}
		m.at = m.at.Add(5 * time.Second)
		m.at.AppendFormat(m.row[1:1], "01/02/2006 15:04:05")
		m.rest = m.row
		m.left -= int64(len(m.row))
	}
	n := copy(b, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func benchmarkRead(b *testing.B, objects esxtop.Objects, metrics ...string) {
	text, err := io.ReadAll(newManyRows(b, 20<<20))
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(text), objects, metrics...)
		require.NoError(b, err)
		for err == nil {
			_, err = r.Next()
		}
		require.ErrorIs(b, err, io.EOF)
	}
}

func BenchmarkReadCSV(b *testing.B) {
	b.Run("selected", func(b *testing.B) {
		benchmarkRead(b, esxtop.ObjectsOf(esxtop.Group), "cpu.readyPerVCPU", "mem.swapped")
	})
	b.Run("groups", func(b *testing.B) { benchmarkRead(b, esxtop.ObjectsOf(esxtop.Host, esxtop.Group)) })
	b.Run("everything", func(b *testing.B) { benchmarkRead(b, esxtop.AllObjects) })
}

// BenchmarkReadCSV400MB reports the peak memory of reading a large file.
func BenchmarkReadCSV400MB(b *testing.B) {
	const size = 400 << 20
	b.SetBytes(size)
	var peak uint64
	for b.Loop() {
		r, err := NewReader(newManyRows(b, size), esxtop.AllObjects)
		require.NoError(b, err)
		for n := 0; ; n++ {
			if _, err := r.Next(); errors.Is(err, io.EOF) {
				break
			}
			if n%50 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.Sys-m.HeapReleased)
			}
		}
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}

func BenchmarkWriter(b *testing.B) {
	round := &esxtop.Round{Time: time.Now(), Frames: []*esxtop.Frame{largeHost()}}
	w := NewWriter(io.Discard, Options{All: true})
	require.NoError(b, w.Write(round))
	for b.Loop() {
		require.NoError(b, w.Write(round))
	}
	b.SetBytes(int64(len(w.line)))
}
