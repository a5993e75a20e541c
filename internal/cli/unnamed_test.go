package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// An apply of the demo fleet without named rules makes exactly the changes listed here. Each change is free, live and exactly
// reversible, fixes a finding of medium or worse, and restores a documented default, which the list names.
func TestWhatAnUnnamedApplyChanges(t *testing.T) {
	serveDemo(t)
	code, stdout, stderr := vperf(t, "plan", "-o", "json")
	require.Zero(t, code, stderr)
	plan, err := tuning.LoadPlan(strings.NewReader(stdout))
	require.NoError(t, err)
	var b strings.Builder
	for _, s := range plan.Steps {
		for _, c := range s.Changes {
			what := fmt.Sprintf("%s %s: %s %s → %s", s.Target.Kind, s.Target.Name, c.Setting, valueText(c.Before), valueText(c.After))
			setting, err := inventory.LookupSetting(c.Setting)
			require.NoError(t, err)
			require.Equal(t, inventory.ConsentFree, setting.Consent(), what)
			require.Equal(t, inventory.ActivationLive, c.Activation, what)
			require.Equal(t, inventory.InverseExact, c.Inverse.Kind, what)
			fmt.Fprintln(&b, what)
			for _, cause := range c.Causes {
				require.True(t, advice.Severity(cause.Severity).AtLeast(advice.Medium), what)
				require.NotEmpty(t, cause.Restores, what)
				fmt.Fprintf(&b, "  %s (%s) restores: %s\n", cause.Rule, cause.Severity, cause.Restores)
			}
		}
	}
	require.NotEmpty(t, b.String())
	golden.Equal(t, "testdata/unnamed.txt", []byte(b.String()))
}

func valueText(f inventory.Fact[inventory.Value]) string {
	v, _ := f.Value()
	return v.Text
}

// Rules whose findings may be intended: an unnamed plan names each that fails and changes nothing for it.
func TestWhatHasToBeNamed(t *testing.T) {
	serveDemo(t)
	code, stdout, stderr := vperf(t, "plan", "--severity", "info", "-o", "json")
	require.Zero(t, code, stderr)
	plan, err := tuning.LoadPlan(strings.NewReader(stdout))
	require.NoError(t, err)
	left := map[string]string{}
	for _, l := range plan.Skipped {
		for _, r := range l.Rules {
			left[r] = l.Why
		}
	}
	for _, rule := range []string{
		"vaai", "lro", "lro-vmkernel", "mem-reservation-latency", "latency-reservation", "pool-cpu-limit", "cpu-limit", "mem-limit",
		"disk-iops-limit", "ht-sharing-flag", "power-custom-policy", "cpu-advanced-nondefault", "vmotion-advanced-default",
		"numa-options-default", "vmfs-unmap", "drs-automation", "tso", "io-scheduler-legacy", "mem-large-pages", "vnuma-cpu-hotadd",
	} {
		require.Equal(t, "must be named: --rule "+rule, left[rule], rule)
		for _, s := range plan.Steps {
			for _, c := range s.Changes {
				for _, cause := range c.Causes {
					require.NotEqual(t, rule, cause.Rule)
				}
			}
		}
	}
}

// The default severity skips findings below medium, reports that, and does not apply to a named rule.
func TestSeverityOfAPlan(t *testing.T) {
	serveDemo(t)
	for _, c := range []struct {
		args    []string
		changes bool
		said    string
	}{
		{[]string{"--rule", "numa-io", "host01"}, true, ""},
		{[]string{"--rule", "numa-io", "host01", "--severity", "low"}, false, "severity info is below low (include it with --severity info)"},
		{[]string{"--category", "memory"}, false, "severity low is below medium (include it with --severity low)"},
		{[]string{"--category", "memory", "--severity", "low"}, true, ""},
	} {
		code, stdout, stderr := vperf(t, append([]string{"plan"}, c.args...)...)
		require.Zero(t, code, stderr)
		require.Equal(t, !c.changes, strings.Contains(stdout, "nothing to change"), "%v\n%s", c.args, stdout)
		require.Contains(t, stdout, c.said)
	}
	code, _, stderr := vperf(t, "plan", "--severity", "grave")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `--severity: no severity "grave"`)
}
