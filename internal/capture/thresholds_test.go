package capture_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
)

// limit is a threshold of esxtop practice, with figures just within it and just beyond it.
type limit struct {
	name string
	of   []cell
	want []string // expected findings, as rule and object
	// lasting limits are of loads and levels: they count if they are exceeded most of the time. Others count if they
	// are exceeded in more than one sample in twenty.
	lasting bool
	once    []string       // findings for one sample: of events that never happen on a healthy host
	also    func(b *batch) // other content of the capture
	always  []string       // and its findings
}

// cell is a column with a value within the limit and one beyond it.
type cell struct {
	path    string
	ok, bad any
}

const (
	ofWeb    = `Group Cpu(100:web)\`
	memOfWeb = `Group Memory(100:web)\`
	ofLUN    = `Physical Disk SCSI Device(naa.1)\`
	ofNIC    = `Network Port(vSwitch0:33554434:vmnic0)\`
	ofPort   = `Network Port(vSwitch0:33554440:1001:web)\`
	ofDisk   = `Virtual Disk(web:scsi0:0)\`
)

// limits are the thresholds of esxtop practice, in the order of the screens. Figures of web are sums over its two
// vCPUs.
var limits = []limit{
	{name: "%RDY", of: []cell{{ofWeb + `% Ready`, 9.8, 10.2}}, want: []string{"cpu-ready web"}},
	{
		name: "%RDY - %MLMTD", of: []cell{{ofWeb + `% Ready`, 59.8, 60.2}}, want: []string{"cpu-ready web"},
		also: func(b *batch) { b.with(ofWeb+`% Max Limited`, 50) }, always: []string{"cpu-limited web"},
	},
	{name: "%CSTP", of: []cell{{ofWeb + `% CoStop`, 1.9, 2.1}}, want: []string{"cpu-costop web"}},
	{name: "%MLMTD", of: []cell{{ofWeb + `% Max Limited`, 1.9, 2.1}, {ofWeb + `% Ready`, 1.9, 2.1}}, want: []string{"cpu-limited web"}},
	{name: "%SWPWT", of: []cell{{ofWeb + `% Swap Wait`, 1.9, 2.1}}, want: []string{"cpu-swap-wait web"}},
	{name: "%SYS", of: []cell{{ofWeb + `% System`, 39.8, 40.2}}, want: []string{"cpu-system-time web"}, lasting: true},
	{name: "%OVRLP", of: []cell{{ofWeb + `% Overlap`, 19.8, 20.2}}, want: []string{"cpu-overlap web"}},
	{name: "%VMWAIT", of: []cell{{ofWeb + `% VmWait`, 19.8, 20.2}}, want: []string{"cpu-blocked web"}},
	{
		name: "%USED", of: []cell{{ofWeb + `% Used`, 159.8, 160.2}, {ofWeb + `% Run`, 159.8, 160.2}}, want: []string{"cpu-saturated web"}, lasting: true,
	},
	{name: "%LAT_C", of: []cell{{ofWeb + `% CPU Latency`, 74.8, 75.2}}, want: []string{"cpu-latency web"}},
	{name: "TIMER/s", of: []cell{{ofWeb + `Timers/sec`, 999, 1001}}, want: []string{"timer-rate web"}, lasting: true},
	{
		name: "%A/MPERF", of: []cell{{`PCPU Power State(PCPU 0)\% of aperf/mperf`, 80.1, 79.9}}, want: []string{"host-clock esx01"}, lasting: true,
		also: func(b *batch) { b.with(`Physical Cpu(0)\% Util Time`, 95) },
	},
	{name: "CPU load average", of: []cell{{`Physical Cpu Load\Cpu Load (1 Minute Avg)`, 0.8, 0.81}}, want: []string{"host-load esx01"}, lasting: true},
	{name: "PCPU UTIL", of: []cell{{`Physical Cpu(_Total)\% Util Time`, 83.9, 84.1}}, want: []string{"host-cpu-headroom esx01"}, lasting: true},
	{
		name: "PCPU USED and UTIL", of: []cell{{`Physical Cpu(_Total)\% Processor Time`, 28.1, 27.9}}, want: []string{"host-used-below-util esx01"}, lasting: true,
		also: twoCores,
	},
	{name: "MEM overcommit", of: []cell{{`Memory\Memory Overcommit (1 Minute Avg)`, 1, 1.01}}, want: []string{"host-overcommit esx01"}, lasting: true},
	{name: "memory state", of: []cell{{`Memory\Kernel State`, 0, 1}}, want: []string{"mem-reclaim-host esx01"}},
	{name: "MEMCTL curr", of: []cell{{`Memory\Memctl Current MBytes`, 1, 2}}, want: []string{"mem-balloon-host esx01"}, lasting: true},
	{name: "SWAP curr", of: []cell{{`Memory\Swap Used MBytes`, 1, 2}}, want: []string{"mem-swapped-host esx01"}, lasting: true},
	{name: "MCTLSZ", of: []cell{{memOfWeb + `Memctl MBytes`, 1, 1.01}}, want: []string{"mem-balloon web"}, lasting: true},
	{name: "SWCUR", of: []cell{{memOfWeb + `Swapped MBytes`, 1, 1.01}}, want: []string{"mem-swapped web"}, lasting: true},
	{name: "SWR/s", of: []cell{{memOfWeb + `Swap Read MBytes/sec`, 0, 0.01}}, want: []string{"mem-reclaim web"}},
	{name: "SWW/s", of: []cell{{memOfWeb + `Swap Written MBytes/sec`, 0, 0.01}}, want: []string{"mem-swap-rate web"}},
	{name: "CACHUSD", of: []cell{{memOfWeb + `Used Compressed Memory MBytes`, 0, 0.01}}, want: []string{"mem-compression web"}, lasting: true},
	{name: "ZIP/s", of: []cell{{memOfWeb + `Compression MBytes/sec`, 0, 0.01}}, want: []string{"mem-compression web"}},
	{name: "UNZIP/s", of: []cell{{memOfWeb + `Decompression MBytes/sec`, 0, 0.01}}, want: []string{"mem-reclaim web"}},
	{
		name: "N%L", want: []string{"numa-locality web"}, lasting: true,
		of: []cell{{memOfWeb + `Numa % Local`, 80, 79}, {memOfWeb + `Numa Remote Memory MBytes`, 200, 210}, {memOfWeb + `Numa Local Memory MBytes`, 800, 790}},
	},
	{name: "NMIG", of: []cell{{memOfWeb + `Numa Rebalance Count Delta`, 5, 6}}, want: []string{"numa-migrations web"}, also: twoNodes},
	{name: "%LAT_M", of: []cell{{ofWeb + `% Memory Latency`, 1.9, 2.1}}, want: []string{"mem-latency web"}},
	{
		name: "DAVG", of: []cell{{ofLUN + `Average Driver MilliSec/Command`, 19.9, 20.1}}, want: []string{"datastore-latency esx01"},
		also: func(b *batch) { b.with(ofLUN+`Average Guest MilliSec/Command`, 20) },
	},
	{
		name: "KAVG", of: []cell{{ofLUN + `Average Kernel MilliSec/Command`, 2, 2.1}},
		want: []string{"datastore-latency esx01", "lun-kernel-latency esx01/naa.1"},
	},
	{name: "QAVG", of: []cell{{ofLUN + `Average Queue MilliSec/Command`, 1, 1.1}}, want: []string{"lun-queue esx01/naa.1"}},
	{name: "GAVG", of: []cell{{ofLUN + `Average Guest MilliSec/Command`, 20, 20.1}}, want: []string{"lun-latency esx01/naa.1"}},
	{name: "LAT/rd", of: []cell{{ofDisk + `Average MilliSec/Read`, 10, 10.1}}, want: []string{"vdisk-latency web/scsi0:0"}},
	{name: "LAT/wr", of: []cell{{ofDisk + `Average MilliSec/Write`, 10, 10.1}}, want: []string{"vdisk-latency web/scsi0:0"}},
	{name: "QUED", of: []cell{{ofLUN + `Queued Commands`, 0, 1}}, want: []string{"lun-queue esx01/naa.1"}, lasting: true},
	{name: "ABRTS/s", of: []cell{{ofLUN + `Aborts/sec`, 0, 0.2}}, want: []string{"datastore-latency esx01", "lun-aborts esx01/naa.1"}, once: []string{"lun-aborts esx01/naa.1"}},
	{name: "RESETS/s", of: []cell{{ofLUN + `Resets/sec`, 0, 0.2}}, want: []string{"lun-resets esx01/naa.1"}, once: []string{"lun-resets esx01/naa.1"}},
	{name: "CONS/s", of: []cell{{ofLUN + `Conflicts/sec`, 20, 20.2}}, want: []string{"lun-conflicts esx01/naa.1"}},
	{name: "FCMDS/s", of: []cell{{ofLUN + `Failed Commands/sec`, 0, 0.2}}, want: []string{"lun-failed esx01/naa.1"}},
	{name: "%DRPTX of a VM", of: []cell{{ofPort + `% Outbound Packets Dropped`, 0, 0.1}}, want: []string{"tx-drops web"}},
	{name: "%DRPRX of a VM", of: []cell{{ofPort + `% Received Packets Dropped`, 0, 0.1}}, want: []string{"rx-drops web"}},
	{
		name: "%DRPTX of a NIC", of: []cell{{ofNIC + `% Outbound Packets Dropped`, 0, 0.1}},
		want: []string{"pnic-drops esx01/vmnic0", "tx-drops-host esx01"},
	},
	{
		name: "%DRPRX of a NIC", of: []cell{{ofNIC + `% Received Packets Dropped`, 0, 0.1}},
		want: []string{"pnic-drops esx01/vmnic0", "rx-drops-host esx01"},
	},
}

// elsewhere are thresholds of the screens that have no limit of their own here, with the reason.
var elsewhere = map[string]string{
	"host.load5": "CPU load average, of one minute", "host.load15": "CPU load average, of one minute",
	"mem.overcommit5": "MEM overcommit, of one minute", "mem.overcommit15": "MEM overcommit, of one minute",
	"mem.hostSwapRead":  "with the state of memory: TestSwapOfHosts",
	"mem.hostSwapWrite": "no rule judges by it; the state of memory says the same earlier",
	"nfs.aborts":        "no rule judges by it",
	"pcpu.usedAvg":      "PCPU USED and UTIL",
}

// TestEveryThresholdHasItsLimit: every threshold of the screens is tested on both sides.
func TestEveryThresholdHasItsLimit(t *testing.T) {
	for _, m := range esxtop.Catalogue() {
		if m.Threshold == nil || m.Counter == "" || elsewhere[m.ID] != "" {
			continue
		}
		text := m.Counter
		if m.ID == "pcpu.aperfMperf" {
			text = "% of aperf/mperf"
		}
		require.True(t, slices.ContainsFunc(limits, func(l limit) bool {
			return slices.ContainsFunc(l.of, func(c cell) bool { return strings.HasSuffix(c.path, `\`+text) })
		}), "%s, %s", m.ID, text)
	}
}

// quiet returns a healthy host with enough activity of every kind to be evaluated.
func quiet() *batch {
	b := healthy()
	for path, v := range map[string]any{
		ofLUN + `Commands/sec`: 300, ofLUN + `Average Driver MilliSec/Command`: 3, ofLUN + `Average Guest MilliSec/Command`: 3.1,
		ofDisk + `Reads/sec`: 80, ofDisk + `Writes/sec`: 80, ofDisk + `Average MilliSec/Read`: 2, ofDisk + `Average MilliSec/Write`: 2,
		ofPort + `Packets Received/sec`: 900, ofPort + `Packets Transmitted/sec`: 900, ofPort + `% Received Packets Dropped`: 0,
		ofPort + `% Outbound Packets Dropped`: 0, ofNIC + `Packets Transmitted/sec`: 9000, ofNIC + `% Outbound Packets Dropped`: 0,
		memOfWeb + `Swap Written MBytes/sec`: 0, memOfWeb + `Used Compressed Memory MBytes`: 0, memOfWeb + `Compression MBytes/sec`: 0,
		memOfWeb + `Decompression MBytes/sec`: 0,
		`Vcpu(100:web:1000:vmx)\% Used`:       1, // the port's name contains the next world
	} {
		b.with(path, v)
	}
	return b
}

// twoNodes gives the host two NUMA nodes.
func twoNodes(b *batch) {
	b.with(memOfWeb+`Numa % Local`, 95).with(memOfWeb+`Numa Remote Memory MBytes`, 100).with(memOfWeb+`Numa Local Memory MBytes`, 1900)
}

// twoCores gives the host two cores with two threads each, which are in use for 70 percent of the time.
func twoCores(b *batch) {
	for i := range 4 {
		b.with(fmt.Sprintf(`Physical Cpu(%d)\%% Util Time`, i), 40)
	}
	b.with(`Physical Cpu(_Total)\% Util Time`, 40).with(`Physical Cpu(0)\% Core Util Time`, 70).with(`Physical Cpu(2)\% Core Util Time`, 70)
}

// course says when figures of a capture are beyond their limit.
type course struct {
	name   string
	beyond func(sample int) bool
	found  func(l limit) []string
}

const watchedSamples = 40 // the first of which has no rates

var (
	within = course{"within it", func(int) bool { return false }, func(limit) []string { return nil }}
	beyond = course{"beyond it", func(int) bool { return true }, func(l limit) []string { return l.want }}
)

var courses = []course{
	within, beyond,
	{"beyond it in the first sample", func(n int) bool { return n == 0 }, within.found},
	{"beyond it once", func(n int) bool { return n == 20 }, func(l limit) []string { return l.once }},
	{"beyond it in a tenth", func(n int) bool { return n%10 == 5 }, func(l limit) []string {
		if l.lasting {
			return nil
		}
		return l.want
	}},
	{"beyond it for most of the time", func(n int) bool { return n%5 < 3 }, beyond.found},
}

// put sets the figures of a limit in a capture.
func (l limit) put(b *batch, c course) {
	if l.also != nil {
		l.also(b)
	}
	for _, cell := range l.of {
		values := repeat(cell.ok, watchedSamples)
		for n := range values {
			if c.beyond(n) {
				values[n] = cell.bad
			}
		}
		b.with(cell.path, values...)
	}
}

func (l limit) findings(c course) []string { return slices.Concat(l.always, c.found(l)) }

// symptomsOf returns the findings of rules.
func symptomsOf(t *testing.T, set *advice.Ruleset, b *batch) (found []string) {
	path := b.file(t, "x.csv", watchedSamples)
	a, err := audit.Run(t.Context(), &capture.Source{Paths: []string{path}}, audit.Request{Rules: set})
	require.NoError(t, err)
	for _, f := range a.Result.Findings {
		if f.Outcome == advice.Fail {
			found = append(found, f.Rule.ID+" "+f.Object.Name)
		}
	}
	return found
}

// TestLimits evaluates captures just within and just beyond every threshold, all the time, once, at the beginning, and
// now and then. Exactly the expected findings are found.
func TestLimits(t *testing.T) {
	set := allRules()
	for _, l := range limits {
		t.Run(l.name, func(t *testing.T) {
			for _, c := range courses {
				b := quiet()
				l.put(b, c)
				require.ElementsMatch(t, l.findings(c), symptomsOf(t, set, b), c.name)
			}
		})
	}
}

// TestMixed combines two limits, one of which is not exceeded: neither hides or causes the other.
func TestMixed(t *testing.T) {
	set := allRules()
	for i, l := range limits {
		other := limits[(i+11)%len(limits)]
		for _, c := range []course{within, beyond} {
			b := quiet()
			l.put(b, beyond)
			other.put(b, c)
			want := slices.Concat(l.findings(beyond), other.findings(c))
			slices.Sort(want)
			require.ElementsMatch(t, slices.Compact(want), symptomsOf(t, set, b), "%s beyond, %s %s", l.name, other.name, c.name)
		}
	}
}

// TestSwapOfHosts: pages read back show a memory shortage of the host only if its state does too. A VM with a limit
// swaps even on a host with free memory.
func TestSwapOfHosts(t *testing.T) {
	set := allRules()
	for state, want := range map[int][]string{0: nil, 1: {"mem-reclaim-host esx01"}} {
		b := quiet().with(`Memory\Swap MBytes Read/sec`, 0.5).with(`Memory\Kernel State`, slices.Concat([]any{state}, repeat(0, watchedSamples-1))...)
		require.Equal(t, want, symptomsOf(t, set, b), state)
	}
}
