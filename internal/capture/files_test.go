package capture_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/pkg/inventory"
)

// ballooned returns a host with a VM that has a balloon, whose size identifies the capture.
func ballooned(host string, after time.Duration, balloon int) *batch {
	b := newBatch(host).vm(100, "web", 1).add(`Group Memory(100:web)\Memctl MBytes`, balloon)
	b.start = start.Add(after)
	return b
}

func folder(t *testing.T, files map[string][]byte) string {
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return dir
}

// withoutDir removes the test's folder from texts.
func withoutDir(dir string, texts ...string) (short []string) {
	for _, s := range texts {
		short = append(short, strings.ReplaceAll(s, dir+string(filepath.Separator), ""))
	}
	return short
}

func hostsOf(s *inventory.Snapshot) (names []string) {
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			names = append(names, h.Name)
		}
	}
	return names
}

const perfmon = `"(PDH-CSV 4.0) (CET)(-60)","\\WIN\Processor(_Total)\% Processor Time"` + "\n" + `"03/01/2024 12:00:00.000","7"` + "\n"

// TestFolder has the files that users send: captures, compressed or not, one that is not a capture, and one with
// another extension.
func TestFolder(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"a.csv": ballooned("esx01", 0, 10).text(3), "B.CSV.GZ": zipped(t, ballooned("esx02", 0, 20).text(3)),
		"guest.csv": []byte(perfmon), "readme.txt": []byte("hello"), "more/c.csv": ballooned("esx03", 0, 30).text(3),
		"a.csv.gz.part": []byte("?"),
	})
	source := &capture.Source{Paths: []string{dir}}
	require.Equal(t, []string{"esx02", "esx01"}, hostsOf(read(t, source, inventory.Targets{})))
	require.Equal(t, []string{
		`skipped: capture guest.csv: reading CSV: this is a log of Windows' performance monitor (\\…\Processor), of a guest and not of its ` +
			"host: vperf reads the output of esxtop -b -a -d 5 -n 60, on the host",
	}, withoutDir(dir, source.Notes()...))

	source.Paths = []string{dir, filepath.Join(dir, "a.csv"), filepath.Join(dir, "..", filepath.Base(dir), "a.csv")}
	require.Len(t, hostsOf(read(t, source, inventory.Targets{})), 2)
	require.Contains(t, withoutDir(dir, source.Notes()...), "a.csv is named twice and was read once")

	source.Paths = []string{filepath.Join(dir, "[aB].[cC]*[vZ]")} // shells of Windows leave patterns to programs
	require.Len(t, hostsOf(read(t, source, inventory.Targets{})), 2)
	require.Empty(t, source.Notes())

	for paths, want := range map[string]string{
		filepath.Join(dir, "*.zip"):     "capture *.zip: no such file",
		filepath.Join(dir, "guest.csv"): "capture guest.csv: reading CSV: this is a log",
		filepath.Join(dir, "nothing"):   "capture nothing: no such file or directory",
		filepath.Join(dir, "[a"):        "capture [a: syntax error in pattern",
	} {
		_, err := (&capture.Source{Paths: []string{paths}}).Read(t.Context(), inventory.Targets{}, inventory.Needs{})
		require.Error(t, err, paths)
		require.Contains(t, withoutDir(dir, err.Error())[0], want)
	}
	for want, files := range map[string]map[string][]byte{
		"the folder has no capture: vperf looks for *.csv, *.csv.gz and *.csv.bz2": {"readme.txt": nil, "more/c.csv": ballooned("esx03", 0, 30).text(3)},
		"this is a log of Windows' performance monitor":                            {"guest.csv": []byte(perfmon), "other.csv": nil},
	} {
		_, err := (&capture.Source{Paths: []string{folder(t, files)}}).Read(t.Context(), inventory.Targets{}, inventory.Needs{})
		require.ErrorContains(t, err, want)
	}
}

// TestCopies has the same capture under two names: it counts once.
func TestCopies(t *testing.T) {
	text := ballooned("esx01", 0, 10).text(4)
	dir := folder(t, map[string][]byte{"a.csv": text, "copy of a.csv.gz": zipped(t, text)})
	source := &capture.Source{Paths: []string{dir}}
	require.Equal(t, int64(4), vmCalled(t, read(t, source, inventory.Targets{}), "web").Live.Of("mem.balloon").Samples)
	require.Equal(t, []string{"esx01: 4 samples skipped that overlap another capture"}, source.Notes())
}

// TestGap has a capture that stopped for an hour, or whose clock was set forward, which looks the same: a fault before
// and after does not count for the hour.
func TestGap(t *testing.T) {
	lines := bytes.SplitAfter(ballooned("esx01", 0, 10).text(24), []byte("\n"))
	late := bytes.SplitAfter(ballooned("esx01", time.Hour, 10).text(24), []byte("\n"))
	text := bytes.Join(append(lines[:13:13], late[13:]...), nil)
	source := &capture.Source{Paths: []string{file(t, "x.csv", text)}}
	s := read(t, source, inventory.Targets{})
	require.Equal(t, int64(24), vmCalled(t, s, "web").Live.Of("mem.balloon").Samples)
	require.Equal(t, []string{"esx01: no samples for 1h0m0s in 1 gap from 2024-03-01 12:00:55 to 2024-03-01 13:00:55"}, source.Notes())
	require.Equal(t, 12*every, spotsOf(source, "mem.balloon")["esx01 web"].Longest)
}

// TestGapsOfMany has captures of five hosts on two days: one line reports all gaps.
func TestGapsOfMany(t *testing.T) {
	var paths []string
	for _, host := range []string{"esx01", "esx02", "esx03", "esx04", "esx05"} {
		for _, after := range []time.Duration{0, 24 * time.Hour, 48 * time.Hour} {
			paths = append(paths, ballooned(host, after, 10).file(t, host+".csv", 3))
		}
	}
	source := &capture.Source{Paths: paths}
	read(t, source, inventory.Targets{})
	require.Equal(t, []string{"5 hosts have gaps without samples: esx01, esx02, esx03, esx04, esx05"}, source.Notes())
	source.Paths = paths[:3]
	read(t, source, inventory.Targets{})
	require.Equal(t, []string{
		"esx01: no samples for 47h59m40s in 2 gaps, the longest from 2024-03-01 12:00:10 to 2024-03-02 12:00:00",
	}, source.Notes())
}

// TestPaces has two captures of a host, one of them with one sample per minute.
func TestPaces(t *testing.T) {
	slow := ballooned("esx01", 5*every, 10)
	lines := strings.SplitAfter(string(slow.text(5)), "\n")
	for i := range 5 {
		was, is := slow.start.Add(time.Duration(i)*every), slow.start.Add(time.Duration(i)*time.Minute)
		lines[i+1] = strings.Replace(lines[i+1], was.Format(slow.stamp), is.Format(slow.stamp), 1)
	}
	source := &capture.Source{Paths: []string{
		ballooned("esx01", 0, 10).file(t, "a.csv", 5), file(t, "b.csv", []byte(strings.Join(lines, ""))), ballooned("esx02", 0, 10).file(t, "c.csv", 5),
	}}
	read(t, source, inventory.Targets{})
	require.Equal(t, []string{"esx01: samples are 5s to 1m0s apart; each has the same weight"}, source.Notes())
}

// TestPace has samples that are late now and then, as on a busy host, and few that are a minute apart: these are not
// gaps.
func TestPace(t *testing.T) {
	for name, seconds := range map[string][]int{
		"late":         {0, 5, 10, 15, 29, 34, 60, 65},
		"slow":         {0, 300, 600, 900, 1200, 1500},
		"slow, at end": {0, 5, 10, 15, 20, 40, 99},
	} {
		b := ballooned("esx01", 0, 10)
		lines := strings.SplitAfter(string(b.text(len(seconds))), "\n")
		for i, s := range seconds {
			was, is := start.Add(time.Duration(i)*every), start.Add(time.Duration(s)*time.Second)
			lines[i+1] = strings.Replace(lines[i+1], was.Format(b.stamp), is.Format(b.stamp), 1)
		}
		source := &capture.Source{Paths: []string{file(t, "x.csv", []byte(strings.Join(lines, "")))}}
		read(t, source, inventory.Targets{})
		require.Empty(t, source.Notes(), name)
		require.Equal(t, time.Duration(seconds[len(seconds)-1])*time.Second, spotsOf(source, "mem.balloon")["esx01 web"].Longest, name)
	}
}

// TestClockSetBack has a clock that was an hour fast: the samples of both hours count, except the first one afterwards.
func TestClockSetBack(t *testing.T) {
	lines := bytes.SplitAfter(ballooned("esx01", time.Hour, 10).text(24), []byte("\n"))
	late := bytes.SplitAfter(ballooned("esx01", 0, 20).text(24), []byte("\n"))
	source := &capture.Source{Paths: []string{file(t, "x.csv", bytes.Join(append(lines[:13:13], late[13:]...), nil))}}
	s := read(t, source, inventory.Targets{})
	web := vmCalled(t, s, "web")
	require.Equal(t, []any{int64(11 + 11), int64(12 + 11)}, []any{web.Live.Of("cpu.usage").Samples, web.Live.Of("mem.balloon").Samples})
	require.InDelta(t, 20.0, web.Live.Of("mem.balloon").Worst, 0)
	require.Equal(t, []string{"1 row not later than the row above: the interval is not known"}, source.Notes())
}

// built sets the host's processors and memory, and adds a VM.
func (b *batch) built(threads, memoryMB int) *batch {
	for i := range threads {
		b.add(`Physical Cpu(`+[]string{"0", "1", "2", "3", "4", "5", "6", "7"}[i]+`)\% Util Time`, 10+i)
	}
	return b.add(`Physical Cpu(_Total)\% Util Time`, 10+float64(threads-1)/2).add(`Memory\Machine MBytes`, memoryMB)
}

// TestSameName has captures of hosts without a configured name: their hardware distinguishes them.
func TestSameName(t *testing.T) {
	const name = "localhost.localdomain"
	dir := folder(t, map[string][]byte{
		"a.csv": ballooned(name, 0, 10).built(4, 32_000).text(3), "a-later.csv": ballooned(name, time.Minute/2, 10).built(4, 32_001).text(3),
		"b.csv": ballooned(name, 0, 20).built(8, 32_000).text(3), "c.csv": ballooned(name, 0, 30).built(8, 64_000).text(3),
		"d.csv": ballooned(name, 0, 40).text(3), "e.csv": ballooned("esx01", 0, 50).built(2, 16_000).text(3),
	})
	source := &capture.Source{Paths: []string{dir}}
	s := read(t, source, inventory.Targets{})
	require.ElementsMatch(t, []string{name + " (a.csv)", name + " (b.csv)", name + " (c.csv)", name + " (d.csv)", "esx01"}, hostsOf(s))
	for _, vm := range s.VCenters[0].VMs {
		want := map[string]float64{"a": 10, "b": 20, "c": 30, "d": 40}
		if vm.Host().Name != "esx01" {
			require.InDelta(t, want[vm.Host().Name[len(name)+2:][:1]], vm.Live.Of("mem.balloon").Worst, 0, vm.Host().Name)
		}
	}
	require.Equal(t, []string{
		"4 hosts are called localhost.localdomain, distinguished by their processors and memory: localhost.localdomain (a.csv), " +
			"localhost.localdomain (b.csv), localhost.localdomain (c.csv), localhost.localdomain (d.csv)",
	}, source.Notes())

	source.Paths = []string{filepath.Join(dir, "a.csv"), filepath.Join(dir, "d.csv"), filepath.Join(dir, "e.csv")}
	require.Len(t, hostsOf(read(t, source, inventory.Targets{})), 2, "a and d may be the same host")
}

// TestSameFileNames has two hosts with the same name in two files with the same name.
func TestSameFileNames(t *testing.T) {
	dir := folder(t, map[string][]byte{"1/x.csv": ballooned("esx", 0, 10).built(4, 32_000).text(3), "2/x.csv": ballooned("esx", 0, 20).built(8, 32_000).text(3)})
	s := read(t, &capture.Source{Paths: []string{filepath.Join(dir, "*", "x.csv")}}, inventory.Targets{})
	require.ElementsMatch(t, []string{"esx (x.csv)", "esx (x.csv, 2)"}, hostsOf(s))
}

// TestNames has names of VMs that are hard to parse.
func TestNames(t *testing.T) {
	for _, name := range []string{
		"a, b", `the "big" one`, `"`, "web (prod)", "(", ")(", "a:b", "1:2:3", `dom\user`, `\\srv\share`, `a\% Ready`, "Übergröße", "东京-01",
		"web\u202egnp", "a;b", "a\tb", "'; drop", "<script>", "-", "100%", "a=b+c", "\xfcber", strings.Repeat("x", 300), "x:scsi0:0", "vmnic0", "🐘",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch("esx01").vm(100, name, 2).vm(200, "other", 1).
				add(`Group Memory(100:`+name+`)\Memctl MBytes`, 7).add(`Group Memory(200:other)\Memctl MBytes`, 9).
				add(`Virtual Disk(`+name+`)\Reads/sec`, 50).
				add(`Virtual Disk(`+name+`:scsi0:1)\Reads/sec`, 50).add(`Virtual Disk(`+name+`:scsi0:1)\Average MilliSec/Read`, 30).
				add(`Network Port(vSwitch0:33554433:1001:`+name+`)\MBits Received/sec`, 4)
			source := &capture.Source{Paths: []string{b.file(t, "x.csv", 3)}}
			s := read(t, source, inventory.Targets{})
			require.Len(t, s.VCenters[0].VMs, 2)
			vm := vmCalled(t, s, name)
			require.Equal(t, inventory.Known(int64(2)), vm.VCPUs)
			require.InDelta(t, 7.0, vm.Live.Of("mem.balloon").Worst, 0)
			disks, _ := vm.Disks.Value()
			require.Len(t, disks, 1)
			require.InDelta(t, 30.0, disks[0].Live.Of("disk.readLatency").Worst, 0)
			require.InDelta(t, 9.0, vmCalled(t, s, "other").Live.Of("mem.balloon").Worst, 0)
			require.Empty(t, source.Notes())
		})
	}
}

// TestNoFigures has cells that are not numbers, and some that are impossible.
func TestNoFigures(t *testing.T) {
	b := newBatch("esx01").vm(100, "web", 1).
		add(`Group Cpu(100:web)\% Ready`, 0, 2, "NaN", 2, "inf", 2, "", "-", 2, "-3.00", "1.#IND", "#DIV/0!", 2, "0x10", " 2 ").
		add(`Group Memory(100:web)\Memctl MBytes`, "-")
	source := &capture.Source{Paths: []string{b.file(t, "x.csv", 15)}}
	ready := vmCalled(t, read(t, source, inventory.Targets{}), "web").Live.Of("cpu.readyTotal")
	require.Equal(t, []any{int64(6), 2.0, 2.0}, []any{ready.Samples, ready.Worst, ready.Mean})
	require.Equal(t, []string{`6 fields skipped that are not numbers, first line 4, column 4: "NaN"`}, source.Notes())
}

// TestWide has a header and rows of more than 10 MB, larger than any current host writes.
func TestWide(t *testing.T) {
	b := newBatch("esx01").vm(100, "web", 1).add(`Memory\Kernel State`, 1)
	for i := range 120_000 {
		b.columns = append(b.columns, column{"Weather(" + strings.Repeat("x", 60) + string(rune('a'+i%26)) + `)\Rain`, []any{"1234567890.12"}})
	}
	source := &capture.Source{Paths: []string{b.add(`Memory\Memctl Current MBytes`, 512).file(t, "x.csv", 4)}}
	host := onlyHost(t, read(t, source, inventory.Targets{}))
	require.Equal(t, []any{1.0, 512.0}, []any{host.Live.Of("mem.state").Worst, host.Live.Of("mem.balloon").Worst})
	require.Len(t, source.Notes(), 1)
	require.Contains(t, source.Notes()[0], "120000 columns skipped that vperf does not know")
}
