package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
)

// leavesOf returns the values of all settings of the hosts and VMs of a fleet, by object and place, and of nothing else.
func leavesOf(t *testing.T, fleet changingFleet) map[string]string {
	t.Helper()
	leaves := map[string]string{}
	for object, text := range settingsOf(t, fleet.Fleet, "demo") {
		var all any
		require.NoError(t, json.Unmarshal([]byte(text), &all))
		addFacts(leaves, object, all)
	}
	return leaves
}

// appliedWithout applies all changes that take effect at once to a new fleet, while all calls of a kind fail.
func appliedWithout(t *testing.T, kind, rules string) (r faultRun, k *kindsOfReads, before, after map[string]string) {
	t.Helper()
	fleet := newChangingFleet(t, true)
	before = leavesOf(t, fleet)
	r, k = runWithout(t, fleet.Fleet, kind, "apply", "--all", "--rule", rules, "--yes", "--max-hosts", "100", "--max-vms", "1000", "-o", "json")
	return r, k, before, leavesOf(t, fleet)
}

// TestProveUnreadInputsOfAnApply fails every kind of read in turn while the fleet is changed. It may change less and say why,
// but no setting gets a value that it does not get with all reads.
func TestProveUnreadInputsOfAnApply(t *testing.T) {
	t.Parallel()
	proof.NotRaced(t)
	rules := rulesThatChange(t)
	r, k, before, whole := appliedWithout(t, "", rules)
	wholeCode, unjudged := r.code, strings.Count(r.text(), "could not be ")
	changed := 0
	for at, is := range whole {
		if is != before[at] {
			changed++
		}
	}
	require.Greater(t, changed, 30, r.text())
	options := false
	kinds := slices.DeleteFunc(k.reads(), func(kind string) bool {
		if name, is := strings.CutPrefix(kind, "QueryOptions "); is && !strings.HasPrefix(name, "VirtualCenter") {
			again := options
			options = true
			return again // one option of a host is as good as any
		}
		return slices.ContainsFunc(writingCalls, func(call string) bool { return strings.HasPrefix(kind, call) })
	})
	for _, kind := range proof.Sample(t, 2, kinds) {
		t.Run(kind[:min(len(kind), 80)], func(t *testing.T) {
			t.Parallel()
			r, k, before, after := appliedWithout(t, kind, rules)
			require.Positive(t, k.hits)
			missing := 0
			for at, got := range after {
				switch got {
				case whole[at]:
				case before[at]:
					missing++
				default:
					assert.Equal(t, whole[at], got, "%s was %s", at, before[at])
				}
			}
			if missing > 0 && r.code == wholeCode { // then fewer are proposed, and the output says why
				assert.Greater(t, strings.Count(r.text(), "could not be "), unjudged, r.text())
			}
			t.Logf("exit %d, %d of %d changed values missing: %.200s", r.code, missing, changed, r.stderr)
		})
	}
}
