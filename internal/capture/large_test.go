package capture_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/pkg/inventory"
)

// large is the capture of a host with 60 VMs of four vCPUs, generated while it is read: 20,000 columns, as esxtop -a
// writes for such a host. A few different rows are repeated.
type large struct {
	rows [][]byte
	rest []byte
	at   time.Time
	n    int
	left int64
}

// perVCPU, perVM and so on are the counters that esxtop -a writes for each object.
var (
	perWorld = []string{
		"% Used", "% Run", "% System", "% Wait", "% VmWait", "% Ready", "% Idle", "% Overlap", "% CoStop", "% Max Limited", "% Swap Wait",
		"Switches/sec", "Migrates/sec", "Quantum Expires/sec", "Wakeups/sec", "Alloc Min", "Alloc Max", "Alloc Shares", "Alloc Min Limited",
		"% CPU Latency", "% Memory Latency", "% Demand", "Effective Min (MHz)",
	}
	perMemory = []string{
		"Numa Home Nodes", "Numa Rebalance Count Delta", "Numa Remote Memory MBytes", "Numa Local Memory MBytes", "Numa % Local",
		"Memory Size MBytes", "Memory Granted Size MBytes", "Memory Consumed Size MBytes", "Touched MBytes", "Memctl MBytes", "Swapped MBytes",
		"Swap Read MBytes/sec", "Swap Written MBytes/sec", "Overhead MBytes", "Zero MBytes", "Shared MBytes", "Used Compressed Memory MBytes",
		"Compression MBytes/sec", "Decompression MBytes/sec",
	}
	perDisk = []string{
		"Device Q Depth", "Active Commands", "Queued Commands", "% Used", "Load", "Commands/sec", "Reads/sec", "Writes/sec", "MBytes Read/sec",
		"MBytes Written/sec", "Conflicts/sec", "Average Driver MilliSec/Command", "Average Kernel MilliSec/Command",
		"Average Guest MilliSec/Command", "Average Queue MilliSec/Command", "Failed Commands/sec", "Aborts/sec", "Resets/sec",
	}
	perPort = []string{
		"Packets Transmitted/sec", "MBits Transmitted/sec", "Packets Received/sec", "MBits Received/sec", "% Outbound Packets Dropped",
		"% Received Packets Dropped",
	}
	perVDisk = []string{"Commands/sec", "Reads/sec", "Writes/sec", "MBytes Read/sec", "MBytes Written/sec", "Average MilliSec/Read", "Average MilliSec/Write"}
)

func newLarge(size int64) *large {
	b := newBatch("esx01.lab.example")
	random := rand.New(rand.NewPCG(8, 8))
	add := func(of string, counters []string) {
		for _, c := range counters {
			b.add(of+`\`+c, random.IntN(100))
		}
	}
	add("Memory", []string{"Kernel State", "Free MBytes", "Memctl Current MBytes", "Swap Used MBytes"})
	for i := range 64 {
		add(fmt.Sprintf("Physical Cpu(%d)", i), []string{"% Processor Time", "% Util Time"})
	}
	for i := range 60 {
		vm := fmt.Sprintf("%d:vm%02d", 1000+i, i)
		add("Group Cpu("+vm+")", perWorld)
		for j := range 10 {
			name := "vmx"
			if j > 5 {
				name = fmt.Sprintf("vmx-vcpu-%d:vm%02d", j-6, i)
			}
			add(fmt.Sprintf("Vcpu(%s:%d:%s)", vm, 20*(1000+i)+j, name), perWorld)
		}
		add("Group Memory("+vm+")", perMemory)
		add(fmt.Sprintf("Virtual Disk(vm%02d)", i), perVDisk)
		add(fmt.Sprintf("Virtual Disk(vm%02d:scsi0:0)", i), perVDisk)
		add(fmt.Sprintf("Network Port(vSwitch0:%d:%d:vm%02d)", 33554433+i, 20*(1000+i)+1, i), perPort)
		add(fmt.Sprintf("Physical Disk SCSI Device(naa.6000%02d)", i), perDisk)
		add(fmt.Sprintf("Physical Disk Path(vmhba1:C0:T0:L%d)", i), perDisk[5:])
	}
	l := &large{at: b.start, left: size}
	header, _, _ := bytes.Cut(b.text(1), []byte{'\n'})
	l.rest = append(bytes.Clone(header), '\n')
	for range 7 {
		row := append([]byte{'"'}, b.start.Format(b.stamp)...)
		row = append(row, '"')
		for range b.columns {
			row = append(row, ',', '"')
			row = strconv.AppendFloat(row, float64(random.IntN(10_000))/100, 'f', 2, 64)
			row = append(row, '"')
		}
		l.rows = append(l.rows, append(row, '\n'))
	}
	return l
}

func (l *large) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.left <= 0 {
			return 0, io.EOF
		}
		l.rest = l.rows[l.n%len(l.rows)]
		l.at, l.n = l.at.Add(every), l.n+1
		l.at.AppendFormat(l.rest[1:1], "01/02/2006 15:04:05")
		l.left -= int64(len(l.rest))
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func writeLarge(tb testing.TB, path string, size int64) int64 {
	out, err := os.Create(path)
	require.NoError(tb, err)
	n, err := io.Copy(out, newLarge(size))
	require.NoError(tb, err)
	require.NoError(tb, out.Close())
	return n
}

// TestWriteLarge writes a capture to the file in VPERF_LARGE_CAPTURE, to measure the command itself.
func TestWriteLarge(t *testing.T) {
	path := os.Getenv("VPERF_LARGE_CAPTURE")
	if path == "" {
		t.Skip("VPERF_LARGE_CAPTURE names no file to write 400 MB to")
	}
	writeLarge(t, path, 400e6)
}

func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "large.csv")
	b.SetBytes(writeLarge(b, path, 40e6))
	b.ReportAllocs()
	for b.Loop() {
		_, err := (&capture.Source{Paths: []string{path}}).Read(context.Background(), inventory.Targets{}, inventory.Needs{})
		require.NoError(b, err)
	}
}
