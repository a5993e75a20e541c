package cli

import (
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// faultCell is a command that meets a fault at one of its calls.
type faultCell struct {
	column *faultColumn
	row    faultRow
	phase  faultPhase
}

func (c faultCell) String() string {
	return strings.ReplaceAll(c.column.name+"/"+c.row.name+"/"+string(c.phase), " ", "-")
}

// faultPhase is which calls meet a fault.
type faultPhase string

const (
	connecting faultPhase = "first call"
	oneRead    faultPhase = "one read"
	allReads   faultPhase = "all reads"
	acting     faultPhase = "its own calls" // those that the command is for: to hosts, for counters, or a change
)

// faultRow is a fault as the page describes it, and what vperf must say of it.
type faultRow struct {
	name   string
	kind   faulty.Kind
	phases []faultPhase
	says   string // a pattern of the cause
	change fleetChange
}

// calls returns the phase that has the calls of p.
func (p faultPhase) calls() faultPhase {
	if p == meanwhile {
		return oneRead
	}
	return p
}

var (
	networkPhases = []faultPhase{connecting, oneRead, allReads, acting}
	everyPhase    = append(slices.Clip(networkPhases), meanwhile)
)

// faultRows are the faults of the network and the server.
var faultRows = []faultRow{
	{"call hangs", faulty.Hangs, networkPhases, `no answer within`, fleetChange{}},
	{"answers 100 s late", faulty.Slow, []faultPhase{oneRead, acting}, `^$`, fleetChange{}}, // it is not noticed
	{"answers after the limit", faulty.TooLate, []faultPhase{allReads, acting}, `no answer within`, fleetChange{}},
	{"answers a fault", faulty.Faults, networkPhases, `a fault of the server|SystemError|system error`, fleetChange{}},
	{"answer is cut", faulty.Cut, networkPhases, `cut off|before it is complete`, fleetChange{}},
	{"answers garbage", faulty.Garbage, networkPhases, `did not answer in SOAP|is no SOAP from byte 1 on`, fleetChange{}},
	{"answers 100 MB", faulty.Huge, []faultPhase{allReads, acting}, `larger than 64 MiB|no answer within|no samples within`, fleetChange{}},
	{"connection resets", faulty.Resets, networkPhases, `interrupted|ended without an answer`, fleetChange{}},
	{"session ends", faulty.SessionEnds, []faultPhase{oneRead, acting}, `session`, fleetChange{}},
	{"server restarts", faulty.Restarts, []faultPhase{oneRead, acting}, `session|interrupted|ended without an answer`, fleetChange{}},
}

// faultCells are all cells of the matrix.
func faultCells() (all []faultCell) {
	columns := faultColumns()
	for i := range columns {
		for _, row := range faultRows {
			for _, phase := range row.phases {
				if _, is := columns[i].at[phase.calls()]; is {
					all = append(all, faultCell{&columns[i], row, phase})
				}
			}
		}
	}
	return all
}

// fault returns what the proxy does in a cell.
func (c faultCell) fault() faulty.Fault {
	at := c.column.at[c.phase.calls()]
	f := faulty.Fault{Kind: c.row.kind, Method: at.method, From: at.from, Times: at.times}
	if c.phase.calls() == oneRead || f.Kind == faulty.SessionEnds || f.Kind == faulty.Restarts {
		f.Times = 1
	}
	if f.Kind == faulty.Huge && f.Times == 0 && f.Method != "QueryPerf" { // of these, the command's own limit ends them
		f.Times = mostHuge
	}
	return f
}

// mostHuge limits the calls that are answered with 100 MB: a hundred of them are more than a machine moves in a minute.
const mostHuge = 8

// limit returns the deadline of calls in a cell; a call that the fault does not concern must not exceed it on a busy machine.
func (c faultCell) limit() string {
	if c.row.kind != faulty.Hangs && c.row.kind != faulty.TooLate {
		return ""
	}
	f := c.fault()
	d := 5 * time.Second
	if f.From <= 1 && f.Times == 0 {
		d = 300 * time.Millisecond
	}
	return fmt.Sprintf("%s=%s", f.Method, d)
}

// waits returns how long a command waits for counters in a cell in which none come; "" is the usual time.
func (c faultCell) waits() string {
	passes := []faulty.Kind{faulty.Slow, faulty.SessionEnds, faulty.Restarts}
	if c.fault().Method != "QueryPerf" || slices.Contains(passes, c.row.kind) {
		return ""
	}
	if c.row.kind == faulty.Huge {
		return "45s" // as a rule, the first round of calls ends by the size of its answers
	}
	return "10s"
}

// cellsAtOnce is the number of cells that run at once: some of them only wait.
const cellsAtOnce = 4

// TestProveFaults runs each command against each fault, and compares how it ends with docs/faults.md. make prove takes one of the phases
// of each, because all cells take minutes.
func TestProveFaults(t *testing.T) {
	t.Parallel()
	log.SetOutput(io.Discard) // the simulator remarks on what it does
	var mu sync.Mutex
	results := map[string]string{}
	cells := proof.Sample(t, cellsOfASample, faultCells())
	if proof.Everything(t) && !proof.Long(t) && !golden.Updating() {
		cells = eachFaultOnce(cells)
	}
	turns := make(chan faultCell, len(cells))
	for _, c := range slices.Backward(cells) { // the longest ones first
		turns <- c
	}
	close(turns)
	var workers sync.WaitGroup
	for range cellsAtOnce { // no parallel tests: of these, there are only as many as processors
		workers.Go(func() {
			for c := range turns {
				t.Run(c.String(), func(t *testing.T) {
					word := c.column.run(t, c)
					t.Log(word)
					mu.Lock()
					defer mu.Unlock()
					results[c.String()] = word
				})
			}
		})
	}
	workers.Wait()
	if !t.Failed() {
		comparesWithPage(t, cells, results)
	}
}

// eachFaultOnce returns a cell for each command and each fault, in changing phases.
func eachFaultOnce(cells []faultCell) (some []faultCell) {
	same := func(a, b faultCell) bool { return a.column == b.column && a.row.name == b.row.name }
	for n := 0; len(cells) > 0; n++ {
		phases := slices.IndexFunc(cells, func(c faultCell) bool { return !same(c, cells[0]) })
		if phases < 0 {
			phases = len(cells)
		}
		some = append(some, cells[n%phases])
		cells = cells[phases:]
	}
	return some
}

// cellsOfASample is the number of cells that make test runs.
const cellsOfASample = 6

// sharedFaultFleet is the fleet of all commands that only read. Its clock stands still, so that the results of two runs are the same.
var sharedFaultFleet = sync.OnceValues(func() (*simfleet.Fleet, error) {
	return simfleet.Start(simfleet.Config{Now: stillTime, Zone: simfleet.MidMorning(stillTime()), VCenterOnly: true})
})

// stillTime is the time of fleets whose clock stands still: the load of their VMs, and so the series that they have, depend on it.
var stillTime = sync.OnceValue(time.Now)

// names reports whether a text has one of the words.
func names(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
