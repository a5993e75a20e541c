package cli

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
)

// exporterColumn is the exporter. It does not end because of a fault, so that its pages are compared, and it has no exit code.
func exporterColumn() faultColumn {
	var once sync.Once
	var found map[string]string
	return faultColumn{
		name: "exporter", run: exportsThrough,
		at: map[faultPhase]callAt{
			connecting: {"RetrieveServiceContent", 1, 0}, oneRead: {"RetrievePropertiesEx", 2, 1}, allReads: {"RetrievePropertiesEx", 2, 0},
			acting: {"QueryPerf", 1, 0},
		},
		whole: func(t *testing.T, c *faultColumn) map[string]string {
			t.Helper()
			once.Do(func() {
				fleet, err := sharedFaultFleet()
				require.NoError(t, err)
				s := exportWith(t, faultCell{column: c}, fleet, nil)
				found = s.settled(t, exporterPage.whole).series
			})
			return found
		},
	}
}

// exporterStage is an exporter that reaches the fleet through a proxy.
type exporterStage struct {
	*faultStage

	exporter *exporting
}

func exportWith(t *testing.T, c faultCell, fleet *simfleet.Fleet, fault *faulty.Fault) *exporterStage {
	t.Helper()
	s := newFaultStage(t, fleet, faulty.Hooks{})
	at, config := endpointOf(t, fleet, s.proxy), filepath.Join(s.state, "config.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "contexts:\n- {name: lab, url: %q, username: %q, tls-thumbprint: %q}\n"+
		"exporter: {targets: [{context: lab}]}\n", at.URL, at.User, at.Thumbprint), 0o600))
	env := []string{"HOME=" + s.state, "VPERF_CONFIG=" + config, "VPERF_PASSWORD=" + at.Password}
	if fault != nil {
		env = append(env, shortCalls+"="+c.limit())
		s.proxy.Inject(*fault)
	}
	return &exporterStage{s, startExporter(t, env)}
}

// exporterPage is what an exporter shows when it waits for the next round.
type exporterPage struct {
	series map[string]string // measured series with their values
	text   string
}

// whole reports whether nothing is missing, also not the audit, which ends last.
func (p exporterPage) whole() bool {
	return !missing.MatchString(p.text) && strings.Contains(p.text, `vperf_collector_success{collector="audit"} 1`)
}

// betweenCalls is more than an exporter takes from one call of a round to the next, and less than from one round to the next.
const betweenCalls = 4 * time.Second

// settled returns a page after the calls of a round, as soon as it is as expected: on a busy machine, an exporter may be between two calls
// for longer, or its own limits may end a call that the fault does not concern.
func (s *exporterStage) settled(t *testing.T, expected func(exporterPage) bool) (p exporterPage) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Greater(c, s.proxy.Idle(), betweenCalls)
		p = s.page(c)
		require.True(c, expected(p), "the page is not as expected")
	}, longestFaultRun, 100*time.Millisecond)
	return p
}

func (s *exporterStage) page(t require.TestingT) exporterPage {
	code, text := s.exporter.get(t, "/probe?target=lab")
	require.Equal(t, http.StatusOK, code)
	p := exporterPage{map[string]string{}, text}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if strings.HasPrefix(line, "esxi_") {
			p.series[name] = value
		}
	}
	return p
}

// missing are lines of a page that say that something is missing.
var missing = regexp.MustCompile(`(?m)^(vperf_up|vperf_collector_success\{.*\}) 0$`)

// exportsThrough runs an exporter through a fault. Its page has the series that it has without one, or fewer, and then it says so. When the
// server is well again, the page is as without the fault, so nothing is counted twice.
func exportsThrough(t *testing.T, c faultCell) string {
	t.Helper()
	whole := c.column.whole(t, c.column)
	if c.phase == meanwhile {
		return exportsAround(t, c, whole)
	}
	fleet, err := sharedFaultFleet()
	require.NoError(t, err)
	fault := c.fault()
	s := exportWith(t, c, fleet, &fault)
	p := s.settled(t, func(p exporterPage) bool {
		return s.proxy.Hits() > 0 && (len(p.series) == len(whole) || s.explains(t, c, p))
	})
	for series, value := range p.series {
		require.Equal(t, whole[series], value, series)
	}
	_, landing := s.exporter.get(t, "/")
	s.clean(t, faultRun{stdout: p.text, stderr: landing + s.exporter.logged()}, s.fleet.Password())
	word := "part"
	switch {
	case c.row.kind == faulty.Restarts && c.phase == acting:
		word = "either"
	case len(p.series) == len(whole):
		return "whole"
	case len(p.series) == 0:
		word = "down"
		require.Contains(t, p.text, "\nvperf_up 0\n")
	}
	if len(p.series) < len(whole) {
		t.Logf("%d of %d series are missing", len(whole)-len(p.series), len(whole))
	}
	if word == "down" {
		s.recovers(t, whole)
	}
	return word
}

// explains reports whether a page says that something is missing, and the landing page or the log says why.
func (s *exporterStage) explains(t *testing.T, c faultCell, p exporterPage) bool {
	t.Helper()
	_, landing := s.exporter.get(t, "/")
	return missing.MatchString(p.text) && regexp.MustCompile(c.row.says).MatchString(landing+s.exporter.logged())
}

// exportsAround runs an exporter while the fleet changes. Its page has every object as usual. How many series an object has depends on
// what it does at the time.
func exportsAround(t *testing.T, c faultCell, whole map[string]string) string {
	t.Helper()
	f := newChangingFleet(t, true)
	fault := c.happening(t, f)
	s := exportWith(t, c, f.Fleet, fault)
	p := s.settled(t, exporterPage.whole)
	require.Equal(t, fault != nil, s.proxy.Hits() > 0, "whether a call met the change")
	require.Equal(t, objectsOf(whole), objectsOf(p.series))
	if c.row.name == vmMoves {
		lacksOneVM(t, p, whole)
		return "part"
	}
	return "whole"
}

// objectsOf are the objects that have series.
func objectsOf(series map[string]string) map[string]bool {
	all := map[string]bool{}
	for name := range series {
		all[ofObject.FindString(name)] = true
	}
	return all
}

// lacksOneVM fails unless a page has all series but the counters of one VM, and says so. The old host of a VM that moves has no new
// sample of it.
func lacksOneVM(t *testing.T, p exporterPage, whole map[string]string) {
	t.Helper()
	lack := map[string]string{}
	for series := range whole {
		if _, there := p.series[series]; !there {
			lack[series] = ""
		}
	}
	vms := objectsOf(lack)
	require.Len(t, vms, 1)
	for vm := range vms {
		require.Contains(t, vm, `"vm-`)
	}
	require.Equal(t, p.entities(t, "expected")-1, p.entities(t, "collected"))
}

// entities is a number of hosts and VMs of the sampling.
func (p exporterPage) entities(t *testing.T, are string) int {
	t.Helper()
	found := regexp.MustCompile(`(?m)^vperf_collector_entities_` + are + `\{collector="performance"\} (\d+)$`).FindStringSubmatch(p.text)
	require.NotEmpty(t, found)
	n, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return n
}

var ofObject = regexp.MustCompile(`moid="[^"]+"`)

// recovers ends the fault and has the exporter try again.
func (s *exporterStage) recovers(t *testing.T, whole map[string]string) {
	t.Helper()
	s.proxy.Heal()
	require.NoError(t, s.exporter.cmd.Process.Signal(syscall.SIGHUP))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		p := s.page(c)
		holds(c, p.text, "\nvperf_up 1\n")
		require.Len(c, p.series, len(whole))
	}, longestFaultRun, 200*time.Millisecond)
	require.Equal(t, whole, s.page(t).series)
}
