package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// ruleOutcomes matches the counts of outcomes of each rule.
var ruleOutcomes = regexp.MustCompile(`(?m)^vperf_rule_findings\{outcome="([^"]+)",rule="([^"]+)",severity="[^"]+"\} (\d+)$`)

// failedObjects matches the findings. Doubt lowers their severity.
var failedObjects = regexp.MustCompile(`(?m)^vperf_finding\{(.*),severity="[a-z]+"\} 1$`)

// outcomes returns how many objects have an outcome, by rule and outcome.
func (p exporterPage) outcomes(t *testing.T) map[string]map[string]int {
	t.Helper()
	all := map[string]map[string]int{}
	for _, m := range ruleOutcomes.FindAllStringSubmatch(p.text, -1) {
		n, err := strconv.Atoi(m[3])
		require.NoError(t, err)
		if all[m[2]] == nil {
			all[m[2]] = map[string]int{}
		}
		all[m[2]][m[1]] += n
	}
	return all
}

// exportWithout runs an exporter with all modules while all calls of a kind fail; "" is none. It returns its page after the first audit.
func exportWithout(t *testing.T, fleet *simfleet.Fleet, kind string) (exporterPage, *kindsOfReads) {
	t.Helper()
	k := &kindsOfReads{seen: map[string]int{}, fail: kind}
	s := newFaultStage(t, fleet, faulty.Hooks{Serve: k.serve})
	at, config := endpointOf(t, fleet, s.proxy), filepath.Join(s.state, "config.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "contexts:\n- {name: lab, url: %q, username: %q, tls-thumbprint: %q}\n"+
		"exporter: {targets: [{context: lab, modules: [basic, disk, net, vcpu, datastore, cluster, pool, snapshot, hardware, firmware, vsan, tags, audit, findings]}]}\n",
		at.URL, at.User, at.Thumbprint), 0o600))
	e := &exporterStage{s, startExporter(t, []string{"HOME=" + s.state, "VPERF_CONFIG=" + config, "VPERF_PASSWORD=" + at.Password})}
	p := e.settled(t, func(p exporterPage) bool {
		return strings.Contains(p.text, "\nvperf_up 0\n") || strings.Contains(p.text, `vperf_collector_success{collector="audit"}`)
	})
	_, findings := e.exporter.get(t, "/probe?target=lab&module=findings")
	p.text += findings
	_, landing := e.exporter.get(t, "/")
	s.clean(t, faultRun{stdout: p.text, stderr: landing + e.exporter.logged()}, fleet.Password())
	e.exporter.end(t)
	return p, k
}

// countersNeed matches the kinds of reads without which there are no hosts, or no counters.
var countersNeed = regexp.MustCompile(`^(Create|CurrentTime|QueryPerf|WaitForUpdatesEx|RetrievePropertiesEx PerformanceManager )`)

// TestProveUnreadInputsOfTheExporter fails every kind of read in turn. No outcome gets better, and no finding is new. Each series has its
// value, or is not served and the page says that something is missing. Only reads that all counters need take the counters away.
func TestProveUnreadInputsOfTheExporter(t *testing.T) {
	t.Parallel()
	proof.NotRaced(t)
	fleet, err := sharedFaultFleet()
	require.NoError(t, err)
	whole, k := exportWithout(t, fleet, "")
	require.NotRegexp(t, missing, whole.text)
	outcomes, findings := whole.outcomes(t), map[string]bool{}
	require.Greater(t, len(outcomes), 200)
	for _, f := range failedObjects.FindAllStringSubmatch(whole.text, -1) {
		findings[f[1]] = true
	}
	require.NotEmpty(t, findings)
	for _, kind := range proof.Sample(t, 2, k.reads()) {
		t.Run(kind[:min(len(kind), 80)], func(t *testing.T) {
			t.Parallel()
			p, k := exportWithout(t, fleet, kind)
			require.Positive(t, k.hits)
			lost := 0
			for series, value := range whole.series {
				if got, served := p.series[series]; !served {
					lost++
				} else {
					assert.Equal(t, value, got, series)
				}
			}
			down := strings.Contains(p.text, "\nvperf_up 0\n")
			assert.True(t, !down || countersNeed.MatchString(kind), "no counters: %s", missing.FindAllString(p.text, -1))
			if lost > 0 && !strings.HasPrefix(kind, "RetrievePropertiesEx Datastore name summary.type summary.url") { // without it, no counter is known to be one of an NFS volume
				assert.Regexp(t, missing, p.text, "%d series are lost", lost)
			}
			if !down {
				assert.Less(t, lost, len(whole.series)/10)
			}
			for rule, of := range p.outcomes(t) {
				was := outcomes[rule]
				for outcome, n := range of {
					switch outcome {
					case "unknown":
						continue
					case "fail":
						n -= was["waived"]
					}
					assert.LessOrEqual(t, n, was[outcome], "%s: %s", rule, outcome)
				}
			}
			for _, f := range failedObjects.FindAllStringSubmatch(p.text, -1) {
				assert.True(t, findings[f[1]], "%s is new", f[1])
			}
			t.Logf("%d of %d series are lost", lost, len(whole.series))
		})
	}
}
