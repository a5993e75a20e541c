package batch

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// A small file, and how it may be changed on its way to vperf.
const (
	small = `"(PDH-CSV 4.0) (UTC)(0)","\\h\Memory\Free MBytes","\\h\Group Cpu(7:vm)\% Ready"` + "\n" +
		`"04/24/2018 10:49:12","590","1.07"` + "\n" +
		`"04/24/2018 10:49:17","591","0.61"` + "\n"
	smallHeader = `"(PDH-CSV 4.0) (UTC)(0)","\\h\Memory\Free MBytes","\\h\Group Cpu(7:vm)\% Ready"` + "\n"
)

func compressed(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String()
}

// wideText is UTF-16, as PowerShell writes.
func wideText(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// bzipped is the small file as bzip2 packs it.
var bzipped = func() string {
	b, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWT8V6TEAAAbfgAAQUmf38B3CXwQmQt8gIABqGpNqTyj0hsUyMjIegmm0PUEqg00BDAjTMowAASjg4ff+PGc6WE58unNqxIgYls1zBZGUIhXO" +
		"pIFldS3hkbdFJRELIBKgQ+IHBI+27AyLIiEcPd2X/zh8LiT0T3yLLz7iKRyEM5M9X7KBqgq52mprbErjYe4u5IpwoSB+K9Ji")
	if err != nil {
		panic(err)
	}
	return string(b)
}()

func TestShapes(t *testing.T) {
	replace := strings.NewReplacer
	at := time.Date(2018, 4, 24, 10, 49, 12, 0, time.UTC)
	day := time.Date(1970, 1, 1, 10, 49, 12, 0, time.UTC)
	for name, shape := range map[string]struct {
		file   string
		start  time.Time
		report []string
		apart  time.Duration
	}{
		"plain":            {small, at, nil, 5 * time.Second},
		"gzip":             {compressed(small), at, nil, 5 * time.Second},
		"gzip in parts":    {compressed(smallHeader) + compressed(small[len(smallHeader):]), at, nil, 5 * time.Second},
		"trailing comma":   {replace("\n", ",\n").Replace(small), at, nil, 5 * time.Second},
		"trailing ,\"\"":   {replace("\n", `,""`+"\n").Replace(small), at, nil, 5 * time.Second},
		"CRLF":             {replace("\n", "\r\n").Replace(small), at, nil, 5 * time.Second},
		"CR alone":         {replace("\n", "\r").Replace(small), at, nil, 5 * time.Second},
		"no last line end": {strings.TrimSuffix(small, "\n"), at, nil, 5 * time.Second},
		"empty lines":      {replace("\n", "\n\n").Replace(small), at, nil, 5 * time.Second},
		"byte order mark":  {"\ufeff" + small, at, nil, 5 * time.Second},
		"glued warning": {
			"no termcap entry for a 'xterm-256color' terminal" + small, at,
			[]string{"text before the header was skipped"}, 5 * time.Second,
		},
		"junk lines":       {"Unknown terminal\n\nbla\n" + small, at, []string{"text before the header was skipped"}, 5 * time.Second},
		"lost first quote": {small[1:], at, nil, 5 * time.Second},
		"no quotes":        {replace(`"`, "").Replace(small), at, nil, 5 * time.Second},
		"line end in the stamp": {
			replace("10:49:12\"", "10:49:12\n\"", "10:49:17\"", "10:49:17\n\"").Replace(small), at, nil, 5 * time.Second,
		},
		"line end within the stamp": {replace("2018 10", "2018\n10").Replace(small), at, nil, 5 * time.Second},
		"unquoted stamp and a line end": {
			replace(`"04/24/2018 10:49:12"`, "04/24/2018 10:49:12\n", `"04/24/2018 10:49:17"`, "04/24/2018 10:49:17\r\n").Replace(small),
			at, nil, 5 * time.Second,
		},
		"zone east":      {replace("(UTC)(0)", "(CET)(-60)").Replace(small), at.Add(-time.Hour), nil, 5 * time.Second},
		"zone west":      {replace("(UTC)(0)", "(EST (US))(300)").Replace(small), at.Add(5 * time.Hour), nil, 5 * time.Second},
		"fraction":       {replace(":12\"", ":12.250\"", ":17\"", ":17.250\"").Replace(small), at.Add(250 * time.Millisecond), nil, 5 * time.Second},
		"half a day":     {replace(":12\"", ":12 AM\"", ":17\"", ":17 am\"").Replace(small), at, nil, 5 * time.Second},
		"lost first tag": {replace(`"(PDH-CSV 4.0) (UTC)(0)"`, "Time").Replace(small), at, []string{"the header has lost its first field, times are taken for UTC"}, 5 * time.Second},
		"time alone": {
			replace("04/24/2018 ", "").Replace(small), day, []string{"times have no date: the first day is called 1970-01-01"}, 5 * time.Second,
		},
		"past midnight": {
			replace("04/24/2018 10:49:12", "23:59:58", "04/24/2018 10:49:17", "00:00:03").Replace(small),
			time.Date(1970, 1, 1, 23, 59, 58, 0, time.UTC), []string{"times have no date: the first day is called 1970-01-01"}, 5 * time.Second,
		},
		"no seconds": {
			replace("04/24/2018 10:49:12", "4/24/2018 10:49", "04/24/2018 10:49:17", "4/24/2018 10:49").Replace(small),
			at.Add(-12 * time.Second), []string{"times have no seconds: intervals are not known"}, 0,
		},
		"clock set back": {replace("10:49:17", "10:49:07").Replace(small), at, []string{"1 row not later than the row above: the interval is not known"}, 0},
		"clock stood":    {replace("10:49:17", "10:49:12").Replace(small), at, []string{"1 row not later than the row above: the interval is not known"}, 0},
		"bzip2":          {bzipped, at, nil, 5 * time.Second},
		"gzip, damaged at its end": {
			func() string { s := []byte(compressed(small)); s[len(s)-5] ^= 1; return string(s) }(), at,
			[]string{"the file ends early: it is damaged, and cannot be decompressed from there on"}, 5 * time.Second,
		},
		"gzip with something behind": {
			compressed(small) + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", at,
			[]string{"skipped other data after the compressed capture"}, 5 * time.Second,
		},
		"UTF-16, little end first": {wideText("\ufeff"+small, binary.LittleEndian), at, nil, 5 * time.Second},
		"UTF-16, big end first":    {wideText("\ufeff"+small, binary.BigEndian), at, nil, 5 * time.Second},
		"UTF-16 without a mark":    {wideText(small, binary.LittleEndian), at, nil, 5 * time.Second},
		"UTF-16, no mark, big":     {wideText(small, binary.BigEndian), at, nil, 5 * time.Second},
		"UTF-16 of PowerShell":     {wideText("\ufeff"+replace("\n", "\r\n").Replace(small), binary.LittleEndian), at, nil, 5 * time.Second},
		"UTF-16, packed":           {compressed(wideText("\ufeff"+small, binary.LittleEndian)), at, nil, 5 * time.Second},
		"UTF-16, half a letter":    {wideText("\ufeff"+small, binary.LittleEndian) + "\"", at, nil, 5 * time.Second},
		"semicolons":               {replace(",", ";").Replace(small), at, nil, 5 * time.Second},
		"semicolons, no quotes":    {replace(",", ";", `"`, "").Replace(small), at, nil, 5 * time.Second},
		"tabs":                     {replace(",", "\t", `"`, "").Replace(small), at, nil, 5 * time.Second},
		"semicolons, no tag": {
			replace(`"(PDH-CSV 4.0) (UTC)(0)"`, "Time", ",", ";").Replace(small), at,
			[]string{"the header has lost its first field, times are taken for UTC"}, 5 * time.Second,
		},
		"semicolons, line ends in the stamp": {replace(",", ";", "10:49:12\"", "10:49:12\n\"", "10:49:17\"", "10:49:17\n\"").Replace(small), at, nil, 5 * time.Second},
		"decimal comma":                      {replace(",", ";", "1.07", "1,07", "0.61", "0,61").Replace(small), at, nil, 5 * time.Second},
		"dates with points": {
			replace(",", ";", "04/24/2018", "24.04.2018", "1.07", "1,07", "0.61", "0,61").Replace(small), at,
			[]string{"dates are read with the day first; a spreadsheet may have exchanged day and month before"}, 5 * time.Second,
		},
		"dates with the day first": {
			replace("04/24/2018", "24/04/2018").Replace(small), at,
			[]string{"dates are read with the day first; a spreadsheet may have exchanged day and month before"}, 5 * time.Second,
		},
		"cut last row": {
			small + `"04/24/2018 10:49:22","59`, at, []string{"row 4: it has 2 of 3 fields, dropped"}, 5 * time.Second,
		},
		"cut last field": {
			small + `"04/24/2018 10:49:22","592","0.`, at, []string{"row 4: its last field is cut off, dropped"}, 5 * time.Second,
		},
		"cut before the last field": {
			small + `"04/24/2018 10:49:22","592","`, at, []string{"row 4: its last field is cut off, dropped"}, 5 * time.Second,
		},
		"long row": {
			replace(`"04/24/2018 10:49:17"`, `"04/24/2018 10:49:13","1","2","3"`+"\n"+`"04/24/2018 10:49:17"`).Replace(small),
			at, []string{"row 3: it has 4 of 3 fields, dropped"}, 5 * time.Second,
		},
		"no time": {
			replace(`"04/24/2018 10:49:17"`, `"tomorrow","1","2"`+"\n"+`"04/24/2018 10:49:17"`).Replace(small),
			at, []string{`row 3: its time is "\"tomorrow\"", dropped`}, 5 * time.Second,
		},
		"cut compression": {
			func() string { s := compressed(small); return s[:len(s)-8] }(), at,
			[]string{"the file ends early: it was cut off while it was compressed"}, 5 * time.Second,
		},
		"unknown columns": {
			replace(`"`+"\n", `","\\h\Weather(here)\Rain","\\h\Memory\Console MBytes","rubbish"`+"\n",
				`"1.07"`+"\n", `"1.07","1","2","3"`+"\n", `"0.61"`+"\n", `"0.61","1","2","3"`+"\n").Replace(small), at,
			nil, 5 * time.Second, // replaced below
		},
		"column twice": {
			replace(`Ready"`, `Ready","\\h\Memory\Free MBytes"`, `"1.07"`, `"1.07","1"`, `"0.61"`, `"0.61","1"`).Replace(small), at,
			[]string{"1 column skipped that are repeated"}, 5 * time.Second,
		},
		"cut header": {
			replace(`Ready"`+"\n", `Ready","\\h\Memory\Ker`+"\n", "1.07\"", "1.07\",\"3\"", "0.61\"", "0.61\",\"4\"").Replace(small), at,
			[]string{"the header is cut off in field 4, which is skipped"}, 5 * time.Second,
		},
		"no numbers": {
			replace(`Ready"`, `Ready","\\h\Memory\Kernel MBytes"`, `"1.07"`, `"1.07","?"`, `"0.61"`, `"0.61","0x1p4"`).Replace(small), at,
			[]string{`2 fields skipped that are not numbers, first line 2, column 4: "?"`}, 5 * time.Second,
		},
	} {
		if name == "unknown columns" {
			shape.file = strings.Replace(smallHeader, "\n", `,"\\h\Weather(here)\Rain","\\h\Memory\Console MBytes","rubbish"`+"\n", 1) +
				replace("\n", `,"1","2","3"`+"\n").Replace(small[len(smallHeader):])
			shape.report = []string{
				"1 column skipped, whose names are not paths of counters",
				`2 columns skipped that vperf does not know: "Memory\\Console MBytes", "Weather"`,
			}
		}
		t.Run(name, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(shape.file), esxtop.AllObjects)
			require.NoError(t, err)
			rounds := readAll(t, r)
			require.Equal(t, shape.report, r.Report())
			require.Len(t, rounds, 2)
			require.Equal(t, shape.start, rounds[0].Time)
			require.Zero(t, rounds[0].Frames[0].Interval)
			require.Equal(t, shape.apart, rounds[1].Frames[0].Interval)
			require.Equal(t, []any{590.0, 591.0}, figures(t, rounds, esxtop.Host, "h", "mem.free"))
			require.Equal(t, []any{1.07, 0.61}, figures(t, rounds, esxtop.Group, "vm", "cpu.ready"))
		})
	}
}

func TestNoCapture(t *testing.T) {
	for name, c := range map[string]struct{ file, message string }{
		"empty":       {"", "reading CSV: the file is empty"},
		"values only": {small[len(smallHeader):], `reading CSV: no header: the first line of esxtop's batch output begins with "(PDH-CSV 4.0)" and names the columns; this file begins with "\"04/24/2018 10:49:12\",\"590\",\"1.07\""`},
		"perfmon": {
			`"(PDH-CSV 4.0) (W. Europe Daylight Time)(-120)","\\WIN\Memory\Available MBytes","\\WIN\Processor(_Total)\% Processor Time"` + "\n",
			`reading CSV: this is a log of Windows' performance monitor (\\…\Processor), of a guest and not of its host: vperf reads the output of esxtop -b -a -d 5 -n 60, on the host`,
		},
		"other program": {`"(PDH-CSV 4.0) (UTC)(0)","\\h\Weather\Rain"` + "\n", `reading CSV: the header names no counter of esxtop, such as \\host\Memory\Free MBytes: vperf reads the output of esxtop -b -a -d 5 -n 60, on the host`},
		"vscsiStats":    {"Histogram: IO lengths of commands,virtual machine worldGroupID : 118739,virtual disk handleID : 8193\nmin,512\n", "reading CSV: these are histograms of vscsiStats, which vperf does not read; it reads the output of esxtop -b -a -d 5 -n 60, on the host"},
		"screen":        {" 7:30:14pm up 12 days  2:30, 512 worlds, 6 VMs, 7 vCPUs; CPU load average: 0.05, 0.04, 0.04\n", "reading CSV: this is esxtop's screen; vperf reads its batch output, of esxtop -b -a -d 5 -n 60, on the host"},
		"JSON":          {"{\n", `reading CSV: no header: the first line of esxtop's batch output begins with "(PDH-CSV 4.0)" and names the columns; this file begins with "{"`},
		"snapshot":      {"{\n \"schema\": \"vperf.snapshot/v1\"\n}", "reading CSV: this is JSON that vperf wrote: a saved snapshot, and no capture"},
		"web page":      {"<!DOCTYPE html><html>", "reading CSV: this is a web page, as a browser saves where it had to log on: fetch the capture again"},
		"zip":           {"PK\x03\x04 \x00", "reading CSV: this is a ZIP archive, or a workbook of Excel: unpack it (unzip FILE) and name the CSV that was in it; of a workbook, save the sheet as CSV"},
		"xz":            {"\xfd7zXZ\x00", "reading CSV: this is packed with xz: unpack it with xz -d FILE, and name the CSV"},
		"zstd":          {"\x28\xb5\x2f\xfd", "reading CSV: this is packed with zstd: unpack it with zstd -d FILE, and name the CSV"},
		"7z":            {"7z\xbc\xaf\x27\x1c", "reading CSV: this is a 7z or RAR archive: unpack it, and name the CSV that was in it"},
		"support bundle": {
			compressed(strings.Repeat("esx/", 64) + "\x00ustar\x00" + strings.Repeat("\x00", 300)),
			"reading CSV: this is a tar archive, as vm-support writes: unpack it with tar xf FILE, and name the CSV that was in it. A support " +
				"bundle with snapshots of performance has none: esxtop -R FOLDER -b, on a host of the same release, makes one of it",
		},
		"decimal commas, commas": {
			smallHeader + `"04/24/2018 10:49:12","590,00","1,07"` + "\n",
			"reading CSV: no samples: no row matches the header; row 2: it has 5 of 3 fields, since its figures have commas: save it with decimal " +
				"points, or with semicolons between the fields, dropped",
		},
		"header only": {smallHeader, "reading CSV: no samples: the file has a header and nothing else"},
		"one bad row": {smallHeader + `"04/24/2018 10:49:12","5`, "reading CSV: no samples: no row matches the header; row 2: it has 2 of 3 fields, dropped"},
		"broken gzip": {"\x1f\x8bzzzz", "reading CSV: decompressing: unexpected EOF"},
		"long field":  {`"(PDH-CSV 4.0) (UTC)(0)","\\` + strings.Repeat("x", 70_000) + `\Memory\Free MBytes"` + "\n", "reading CSV: field 2 of the header is longer than 64 KiB: this is no batch file of esxtop"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(c.file), esxtop.AllObjects)
			if err == nil {
				_, err = r.Next()
			}
			require.EqualError(t, err, c.message)
		})
	}
}

// endless is a line without end.
type endless struct{ start string }

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.start)
	e.start = e.start[n:]
	for i := n; i < len(b); i++ {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestEndlessLine(t *testing.T) {
	r, err := NewReader(&endless{smallHeader}, esxtop.AllObjects)
	require.NoError(t, err)
	_, err = r.Next()
	require.EqualError(t, err, "reading CSV: line 2 is longer than 64 MiB: this is no batch file of esxtop")
}

// TestLeakedColumn has the column that 6.5 does not quote, as in the real capture.
func TestLeakedColumn(t *testing.T) {
	file := `"(PDH-CSV 4.0) (UTC)(0)","\\h\PCPU Power State(PCPU 0)\%C-State C0",   -"\\h\PCPU Power State(PCPU 1)\%C-State C0",   -` + "\n" +
		`"04/24/2018 10:49:12","6.92",    73.1"8.93",    73.3` + "\n" +
		`"04/24/2018 10:49:17","6.92",   -"8.94",   -` + "\n" +
		`"04/24/2018 10:49:22","6.92","8.95","73.5"` + "\n" // a row in order
	r, err := NewReader(strings.NewReader(file), esxtop.AllObjects)
	require.NoError(t, err)
	rounds := readAll(t, r)
	require.Empty(t, r.Report())
	require.Equal(t, []any{73.1, nil, nil}, figures(t, rounds, esxtop.PCPU, "0", "pcpu.aperfMperf"))
	require.Equal(t, []any{73.3, nil, nil}, figures(t, rounds, esxtop.PCPU, "1", "pcpu.aperfMperf"))
	v, _ := rounds[1].Frames[0].Rows(esxtop.CState)[1].Value(esxtop.Lookup("power.cstate"))
	require.InDelta(t, 8.94, v, 0)
}

// TestPathsOnce has a path's figures in both groups in which esxtop writes them, and in that of old releases.
func TestPathsOnce(t *testing.T) {
	file := `"(PDH-CSV 4.0) (UTC)(0)","\\h\Physical Disk(vmhba1)\Adapter Q Depth","\\h\Physical Disk Adapter(vmhba1)\Commands/sec",` +
		`"\\h\Physical Disk(vmhba1:vmhba1:C0:T0:L0)\Adapter Q Depth","\\h\Physical Disk(vmhba1:vmhba1:C0:T0:L0)\Commands/sec",` +
		`"\\h\Physical Disk Path(vmhba1:C0:T0:L0)\Commands/sec","\\h\Physical Disk(vmhba2:C0:T1:L0)\Commands/sec",` +
		`"\\h\Physical Disk(vmhba3:fc.20:0)\Commands/sec","\\h\Physical Disk Path(fc.20:0)\Commands/sec"` + "\n" +
		`"04/24/2018 10:49:12","31","3.00","31","1.00","1.00","2.00","4.00","4.00"` + "\n"
	r, err := NewReader(strings.NewReader(file), esxtop.AllObjects)
	require.NoError(t, err)
	f := readAll(t, r)[0].Frames[0]
	require.Empty(t, r.Report())
	var rows []string
	for _, o := range []esxtop.Object{esxtop.Adapter, esxtop.Path} {
		for i := range f.Rows(o) {
			row := &f.Rows(o)[i]
			v, _ := row.Value(esxtop.Lookup("disk.commands"))
			rows = append(rows, fmt.Sprintf("%s %d %v", row.ID, row.Parent, v))
		}
	}
	require.Equal(t, []string{
		"vmhba1 -1 3", "vmhba2 -1 0", "vmhba3 -1 0", "vmhba1:C0:T0:L0 0 1", "vmhba2:C0:T1:L0 1 2", "fc.20:0 2 4",
	}, rows)
}

// TestMeansOfNothing has one mean that is really 0, and one that is missing.
func TestMeansOfNothing(t *testing.T) {
	file := `"(PDH-CSV 4.0) (UTC)(0)","\\h\Virtual Disk(a)\Reads/sec","\\h\Virtual Disk(a)\Average MilliSec/Read",` +
		`"\\h\Virtual Disk(a:scsi0:0)\Reads/sec","\\h\Virtual Disk(a:scsi0:0)\Average MilliSec/Read","\\h\Network Port(s:1:a)\Average Packet Size  Received (Bytes)"` + "\n" +
		`"04/24/2018 10:49:12","0.00","0.00","1.00","0.00","0.00"` + "\n"
	r, err := NewReader(strings.NewReader(file), esxtop.AllObjects)
	require.NoError(t, err)
	rounds := readAll(t, r)
	require.Equal(t, []any{nil}, figures(t, rounds, esxtop.DiskVM, "a", "vdisk.readLatency"))
	require.Equal(t, []any{0.0}, figures(t, rounds, esxtop.DiskVM, "a", "vdisk.reads"))
	require.Equal(t, []any{0.0}, figures(t, rounds, esxtop.VDisk, "scsi0:0", "vdisk.readLatency"))
	require.Equal(t, []any{nil}, figures(t, rounds, esxtop.Port, "a", "net.sizeRx"))
}

// TestSameName has two VMs with the same name: groups are distinguished by their ids, virtual disks by their order.
func TestSameName(t *testing.T) {
	file := `"(PDH-CSV 4.0) (UTC)(0)","\\h\Group Cpu(1:vm)\% Ready","\\h\Group Cpu(2:vm)\% Ready","\\h\Virtual Disk(vm)\Reads/sec",` +
		`"\\h\Virtual Disk(vm:scsi0:0)\Reads/sec","\\h\Virtual Disk(vm)\Reads/sec","\\h\Virtual Disk(vm:scsi0:0)\Reads/sec"` + "\n" +
		`"04/24/2018 10:49:12","1","2","3","4","5","6"` + "\n"
	r, err := NewReader(strings.NewReader(file), esxtop.AllObjects)
	require.NoError(t, err)
	f := readAll(t, r)[0].Frames[0]
	require.Len(t, f.Rows(esxtop.Group), 2)
	require.Len(t, f.Rows(esxtop.DiskVM), 2)
	require.Equal(t, "vm", f.Rows(esxtop.DiskVM)[0].ID, "it is unknown which of the two groups it belongs to")
	require.NotEqual(t, f.Rows(esxtop.DiskVM)[0].ID, f.Rows(esxtop.DiskVM)[1].ID)
	v, _ := f.Rows(esxtop.VDisk)[1].Value(esxtop.Lookup("vdisk.reads"))
	require.Equal(t, []any{1, 6.0}, []any{f.Rows(esxtop.VDisk)[1].Parent, v})
}

// TestFewColumns has a VM that can be recognised only by its disks, and a limit above its ready time.
func TestFewColumns(t *testing.T) {
	file := `"(PDH-CSV 4.0) (UTC)(0)","\\h\Group Cpu(5:vm)\% Ready","\\h\Group Cpu(6:daemon.77)\% Ready","\\h\Virtual Disk(vm:scsi0:1)\Reads/sec",` +
		`"\\h\Group Cpu(9:a)\% Ready","\\h\Group Cpu(9:a)\% Max Limited","\\h\Vcpu(9:a:90:vmx-vcpu-0:a)\% Ready",` +
		`"\\h\Vcpu(9:a:91:vmx-vcpu-1:a)\% Ready","\\h\Vcpu(6:daemon.77:77:daemon)\% Ready","\\h\Vcpu(4:kernel:b:40:w)\% Ready",` +
		`"\\h\Group Cpu(8:x:12:y)\% Ready","\\h\Vcpu(8:x:12:y:80:w:1)\% Ready"` + "\n" +
		`"04/24/2018 10:49:12","1","2","3","4","5","6","7","8","9","10","11"` + "\n"
	r, err := NewReader(strings.NewReader(file), esxtop.AllObjects)
	require.NoError(t, err)
	rounds := readAll(t, r)
	f := rounds[0].Frames[0]
	var groups []string
	for i := range f.Rows(esxtop.Group) {
		g := &f.Rows(esxtop.Group)[i]
		groups = append(groups, fmt.Sprint(g.ID, " ", g.Name, " ", g.VM, " ", g.VCPUs, " ", g.Leader))
	}
	require.Equal(t, []string{"5 vm true 0 ", "6 daemon.77 false 0 77", "9 a true 2 ", "4 kernel:b false 0 ", "8 x:12:y false 0 "}, groups)
	require.Equal(t, []any{11.0}, figures(t, rounds, esxtop.World, "w:1", "cpu.ready"))
	require.Equal(t, "5", f.Rows(esxtop.DiskVM)[0].ID)
	require.Equal(t, []any{2.0}, figures(t, rounds, esxtop.Group, "a", "cpu.readyPerVCPU"))
	require.Equal(t, []any{0.0}, figures(t, rounds, esxtop.Group, "a", "cpu.contentionPerVCPU"))
}

func TestChosenMetrics(t *testing.T) {
	r, err := NewReader(strings.NewReader(small), esxtop.AllObjects, "mem.free")
	require.NoError(t, err)
	rounds := readAll(t, r)
	require.Equal(t, []any{590.0, 591.0}, figures(t, rounds, esxtop.Host, "h", "mem.free"))
	require.Equal(t, []any{nil, nil}, figures(t, rounds, esxtop.Group, "vm", "cpu.ready"))
	_, err = NewReader(strings.NewReader(small), esxtop.AllObjects, "mem.fee")
	require.EqualError(t, err, `reading CSV: no metric is called "mem.fee"`)
}

// TestSecondHeader has a capture that was restarted into the same file, with other columns.
func TestSecondHeader(t *testing.T) {
	file := small + strings.ReplaceAll(strings.ReplaceAll(small, "Free MBytes", "Kernel MBytes"), " 10:", " 11:")
	r, err := NewReader(strings.NewReader(file), esxtop.AllObjects)
	require.NoError(t, err)
	rounds := readAll(t, r)
	require.Equal(t, []string{"line 4 begins another capture, with a header of its own"}, r.Report())
	require.Equal(t, []any{590.0, 591.0, nil, nil}, figures(t, rounds, esxtop.Host, "h", "mem.free"))
	require.Equal(t, []any{nil, nil, 590.0, 591.0}, figures(t, rounds, esxtop.Host, "h", "mem.kernel"))
	require.Zero(t, rounds[2].Frames[0].Interval)
}
