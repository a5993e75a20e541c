package capture_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// allRules are compiled once, which takes longer than the tests.
var allRules = sync.OnceValue(func() *advice.Ruleset {
	library, err := advice.Load(advice.Source{FS: rules.FS})
	if err != nil {
		panic(err) // other tests report details
	}
	set, err := library.Select(advice.Selection{Diagnoses: true})
	if err != nil {
		panic(err)
	}
	return set
})

// alarms returns the findings of rules, as rule and object; of diagnoses only proven ones.
func alarms(t *testing.T, set *advice.Ruleset, s *capture.Source) (found []string) {
	a, err := audit.Run(t.Context(), s, audit.Request{Rules: set})
	require.NoError(t, err)
	for _, f := range a.Result.Findings {
		if f.Outcome == advice.Fail {
			found = append(found, f.Rule.ID+" "+f.Object.Name)
		}
	}
	slices.Sort(found)
	return found
}

// healthy returns a healthy host with a VM of two vCPUs, and noise that looks like faults.
func healthy() *batch {
	b := newBatch("esx01")
	for _, memory := range []string{
		`Kernel State`, `Swap MBytes Read/sec`, `Swap MBytes Write/sec`, `Memctl Current MBytes`, `Swap Used MBytes`, `Total Compressed MBytes`,
	} {
		b.add(`Memory\`+memory, 0)
	}
	b.add(`Memory\Memory Overcommit (1 Minute Avg)`, 0).add(`Memory\Free MBytes`, 90_000).
		add(`Physical Cpu Load\Cpu Load (1 Minute Avg)`, 0.3).
		add(`Physical Cpu(0)\% Processor Time`, 34).add(`Physical Cpu(_Total)\% Processor Time`, 34).
		add(`Physical Cpu(0)\% Util Time`, 30).add(`Physical Cpu(_Total)\% Util Time`, 30).
		add(`PCPU Power State(PCPU 0)\% of aperf/mperf`, 61) // it idles
	return noise(b.vm(100, "web", 2).with(`Group Cpu(100:web)\% Used`, 110))
}

func noise(b *batch) *batch {
	const drive, lun = `Physical Disk SCSI Device(mpx.vmhba0:C0:T5:L0)\`, `Physical Disk SCSI Device(naa.1)\`
	b.add(`Group Cpu(5:system)\% Ready`, 2400).add(`Group Cpu(5:system)\% Run`, 2300).add(`Group Cpu(5:system)\% CoStop`, 90)
	for _, of := range []struct {
		path   string
		values []any
	}{
		{`Group Cpu(100:web)\% Ready`, []any{900, 7, 8, 7}}, // first sample, and the sum of two vCPUs
		{`Group Cpu(100:web)\% CoStop`, []any{900, 0.4}},    // first sample
		{`Group Cpu(100:web)\% Max Limited`, []any{0}},
		{`Group Cpu(100:web)\% VmWait`, []any{400, 9}}, // of two
		{`Group Cpu(100:web)\% System`, []any{19}},     // of two
		{`Group Cpu(100:web)\% CPU Latency`, []any{5000, 20}},
		{`Group Cpu(100:web)\Timers/sec`, []any{90_000, 100}},
		{`Group Cpu(100:web)\% Swap Wait`, []any{0}},
		{`Group Cpu(100:web)\% Overlap`, []any{9}},    // of two
		{`Group Cpu(100:web)\% Run`, []any{100, 110}}, // of two
		{`Group Memory(100:web)\Memctl MBytes`, []any{0}},
		{`Group Memory(100:web)\Swapped MBytes`, []any{0}},
		{`Group Memory(100:web)\Swap Read MBytes/sec`, []any{50, 0}}, // first sample
		{`Group Memory(100:web)\Numa % Local`, []any{0}},             // one node
		{`Group Memory(100:web)\Numa Remote Memory MBytes`, []any{0}},
		{`Group Memory(100:web)\Numa Local Memory MBytes`, []any{0}},
		{drive + `Commands/sec`, []any{0, 0.38, 0.6}}, // an unused CD-ROM drive
		{drive + `Average Driver MilliSec/Command`, []any{0, 31.97, 25.9}},
		{drive + `Average Kernel MilliSec/Command`, []any{0, 5}},
		{drive + `Average Guest MilliSec/Command`, []any{0, 31.98, 25.91}},
		{drive + `Failed Commands/sec`, []any{0, 0.76, 1}},
		{lun + `Commands/sec`, []any{0, 300, 4, 300}}, // one slow command
		{lun + `Average Driver MilliSec/Command`, []any{0, 3, 900, 3}},
		{lun + `Average Kernel MilliSec/Command`, []any{0, 0.1}},
		{lun + `Average Guest MilliSec/Command`, []any{0, 3.1, 900.1, 3.1}},
		{lun + `Average Queue MilliSec/Command`, []any{0, 0}},
		{lun + `Queued Commands`, []any{0}},
		{lun + `Aborts/sec`, []any{0}},
		{`Network Port(vSwitch0:33554434:vmnic0)\Packets Received/sec`, []any{0, 9000}},
		{`Network Port(vSwitch0:33554434:vmnic0)\% Received Packets Dropped`, []any{100, 0}}, // first sample
		{`Virtual Disk(web)\Reads/sec`, []any{0, 0.2}},                                       // one slow read
		{`Virtual Disk(web:scsi0:0)\Reads/sec`, []any{0, 0.2}},
		{`Virtual Disk(web:scsi0:0)\Average MilliSec/Read`, []any{0, 850}},
	} {
		b.add(of.path, of.values...)
	}
	return b
}

// with sets other values for a column, or adds it.
func (b *batch) with(path string, values ...any) *batch {
	for i := range b.columns {
		if b.columns[i].path == path {
			b.columns[i].values = values
			return b
		}
	}
	return b.add(path, values...)
}

// TestVerdicts tests combinations of figures and expects exactly the given findings. TestLimits tests each figure
// alone.
func TestVerdicts(t *testing.T) {
	set := allRules()
	const web, memory, lun = `Group Cpu(100:web)\`, `Group Memory(100:web)\`, `Physical Disk SCSI Device(naa.1)\`
	for name, tc := range map[string]struct {
		change func(b *batch)
		want   []string
	}{
		"noise alone": {func(*batch) {}, nil},
		"turbo is no fault": {func(b *batch) {
			b.with(web+`% Used`, 150).with(`Physical Cpu(0)\% Processor Time`, 80).with(`Physical Cpu(_Total)\% Processor Time`, 80)
			b.with(`Physical Cpu(0)\% Util Time`, 60).with(`Physical Cpu(_Total)\% Util Time`, 60)
		}, nil},
		"memory that was never touched": {func(b *batch) {
			b.vm(200, "new", 1).with(`Group Cpu(200:new)\% Used`, 40) // on a host of two nodes, as web shows
			for _, none := range []string{`Numa % Local`, `Numa Remote Memory MBytes`, `Numa Local Memory MBytes`, `Memory Granted Size MBytes`} {
				b.with(`Group Memory(200:new)\`+none, 0)
			}
			b.with(memory+`Numa % Local`, 95).with(memory+`Numa Remote Memory MBytes`, 100).with(memory+`Numa Local Memory MBytes`, 1900)
		}, nil},

		"limited":    {func(b *batch) { b.with(web+`% Ready`, 30).with(web+`% Max Limited`, 29) }, []string{"cpu-limited web"}},
		"state soft": {func(b *batch) { b.with(`Memory\Kernel State`, 2) }, []string{"mem-reclaim-host esx01"}},
		"slow array": {func(b *batch) { slow(b, lun, 45, 0.1) }, []string{"datastore-latency esx01", "lun-latency esx01/naa.1"}},
		"throttled": {func(b *batch) {
			b.with(`Physical Cpu(0)\% Util Time`, 95).with(`PCPU Power State(PCPU 0)\% of aperf/mperf`, 48)
		}, []string{"host-clock esx01"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := healthy()
			tc.change(b)
			require.Equal(t, tc.want, alarms(t, set, &capture.Source{Paths: []string{b.file(t, "x.csv", 25)}}))
		})
	}
}

func repeat(v any, n int) []any { return slices.Repeat([]any{v}, n) }

// slow makes a device slow, in the array and in the VMkernel.
func slow(b *batch, device string, array, kernel float64) {
	b.with(device+`Commands/sec`, 300).with(device+`Average Driver MilliSec/Command`, array).
		with(device+`Average Kernel MilliSec/Command`, kernel).with(device+`Average Guest MilliSec/Command`, array+kernel)
}

// TestNoiseIsNoHotSpot checks the same noise with the hot spots, and with rules when there are so few samples that one
// of them, such as the first, would decide.
func TestNoiseIsNoHotSpot(t *testing.T) {
	for _, samples := range []int{5, 25} {
		source := &capture.Source{Paths: []string{healthy().file(t, "x.csv", samples)}}
		require.Empty(t, alarms(t, allRules(), source))
		require.Empty(t, source.Spots().Top(5))
	}
}

// TestCauses checks diagnoses that the counters of a capture prove, and those that they cannot, which name the missing
// facts.
func TestCauses(t *testing.T) {
	set := allRules()
	const web = `Group Cpu(100:web)\`
	for name, tc := range map[string]struct {
		capture *batch
		proven  []string
		open    string // one of the undecided ones
	}{
		"ready":           {healthy().with(web+`% Ready`, 30), nil, "ready-by-pinning"},
		"ready, all busy": {healthy().with(web+`% Ready`, 30).with(`Physical Cpu(_Total)\% Util Time`, 97), []string{"ready-by-crowding"}, "ready-by-hidden-threads"},
		"blocked by a slow disk": {
			healthy().with(web+`% VmWait`, 60).with(`Virtual Disk(web:scsi0:0)\Reads/sec`, 80).with(`Virtual Disk(web:scsi0:0)\Average MilliSec/Read`, 30),
			[]string{"blocked-by-storage"}, "costop-by-snapshots",
		},
		"blocked by swap": {
			healthy().with(web+`% VmWait`, 60).with(web+`% Swap Wait`, 60).with(`Group Memory(100:web)\Swap Read MBytes/sec`, 3),
			[]string{"blocked-by-swap"}, "memory-by-limit",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := audit.Run(t.Context(), &capture.Source{Paths: []string{tc.capture.file(t, "x.csv", 25)}}, audit.Request{Rules: set})
			require.NoError(t, err)
			var proven []string
			for _, d := range a.Result.Diagnoses {
				switch {
				case d.Finding.Outcome == advice.Fail:
					proven = append(proven, d.Finding.Rule.ID)
				case d.Finding.Rule.ID == tc.open:
					require.Equal(t, advice.Unknown, d.Finding.Outcome)
					require.Equal(t, capture.Unread, d.Finding.Gaps[0].Reason)
					tc.open = ""
				}
			}
			require.Equal(t, tc.proven, proven)
			require.Empty(t, tc.open, "it was not asked")
		})
	}
}
