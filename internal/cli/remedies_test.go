package cli

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/remedy"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
	"github.com/vperf/vperf/rules"
)

// givenParams are values for the parameters that only a person can choose.
var givenParams = map[string]map[string]string{
	"rss":        {"options": "4,4"},
	"tcpip-heap": {"heapMaxMB": "2048"},
}

// notHealed maps rules with a partial remedy, after which the finding remains, to the reason.
var notHealed = map[string]string{
	"sriov-passthrough": "the latency sensitivity that it wants too takes a core for each vCPU, and a decision",
}

// notAsked are rules that do not check an object whose setting has its default.
var notAsked = []string{"latency-extra-keys", "numa-prefer-ht", "vnuma-stale"}

// TestProveEveryRemedy applies and reverts each rule that vperf can fix on the demo fleet: the audit fails, apply makes the
// change with the required power cycles and reboots, the audit passes, rollback reverts it, the audit fails again. One audit
// checks all reverted changes: only its own rollback can make a finding fail again.
func TestProveEveryRemedy(t *testing.T) {
	t.Parallel()
	fleet, err := simfleet.Start(simfleet.Config{ShutdownTakes: time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	h := newHealer(t, fleet)
	library, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	for rule, params := range givenParams {
		for p, v := range params {
			require.NoError(t, library.Set(rule, p, v))
		}
	}
	all, err := library.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	first := h.audit(t, all, inventory.Targets{})
	healed := slices.DeleteFunc(slices.Clone(all.Rules()), func(r *advice.Rule) bool { return !writable(r) })
	if !proof.Everything(t) {
		healed = oneOfAKind(healed)
	}
	// Hosts restart last, since their VMs have to go first.
	slices.SortStableFunc(healed, func(a, b *advice.Rule) int { return cmp.Compare(restarts(a), restarts(b)) })
	for i, r := range healed {
		if restarts(r) == 1 && (i == 0 || restarts(healed[i-1]) == 0) {
			h.stillFail(t, all)
		}
		t.Run(r.ID, func(t *testing.T) {
			one, err := library.Select(advice.Selection{Rules: []string{r.ID}})
			require.NoError(t, err)
			h.thereAndBack(t, one, first)
		})
	}
	h.stillFail(t, all)
	t.Logf("%d rules there and back", len(healed))
}

// oneOfAKind is the first rule of each kind of setting that rules change.
func oneOfAKind(rules []*advice.Rule) (some []*advice.Rule) {
	seen := map[string]bool{}
	for _, r := range rules {
		kinds := settingKinds(r)
		if !slices.ContainsFunc(kinds, func(k string) bool { return !seen[k] }) {
			continue
		}
		some = append(some, r)
		for _, k := range kinds {
			seen[k] = true
		}
	}
	return some
}

func settingKinds(r *advice.Rule) (names []string) {
	for _, m := range r.Remedy {
		names = append(names, m.Setting().Kind.Name)
	}
	return names
}

// stillFail evaluates all rules against the objects reverted since its last call.
func (h *healer) stillFail(t *testing.T, all *advice.Ruleset) {
	t.Helper()
	a := h.audit(t, all, inventory.Targets{})
	for _, b := range h.back {
		require.Equal(t, advice.Fail, outcomeOf(a, b.rule, b.object).Outcome, "%s of %s after rollback:\n%s", b.rule, b.object.Name, b.told)
	}
	h.back = nil
}

// takenBack is a rule that has to fail again.
type takenBack struct {
	rule   string
	object inventory.Ref
	told   string
}

// restarts is 1 for a rule one of whose remedies takes a restart of the host, else 0.
func restarts(r *advice.Rule) int {
	for _, m := range r.Remedy {
		for _, a := range []inventory.Activation{m.Activation, m.Setting().Activation()} {
			if a == inventory.ActivationHostReboot || a == inventory.ActivationDriverReload {
				return 1
			}
		}
	}
	return 0
}

// writable reports whether a rule has a remedy that vperf may ever write.
func writable(r *advice.Rule) bool {
	return slices.ContainsFunc(r.Remedy, func(m advice.Remedy) bool {
		return m.Consent != advice.ConsentNever && m.Setting().Kind.Applicable() && m.Activation != inventory.ActivationManual
	})
}

// healer audits and changes a fleet through one session.
type healer struct {
	source   *source.Server
	estate   tuning.Estate
	runs     *tuning.Runs
	operator *vim25.Client // somebody else
	back     []takenBack
}

func newHealer(t *testing.T, fleet *simfleet.Fleet) *healer {
	t.Helper()
	e := fleet.Endpoints()[0]
	streams, _, _ := iostreams.Test()
	s, err := source.OpenServer(t.Context(), streams, session.Endpoint{
		URL: e.URL, User: e.User, Password: session.Secret(e.Password), CertificatePEM: e.CertificatePEM,
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	h := &healer{source: s, estate: change.Estate(s.Session)}
	h.estate.Server, err = change.Server(t.Context(), s.Session)
	require.NoError(t, err)
	h.runs, err = tuning.OpenRuns(t.TempDir())
	require.NoError(t, err)
	u := *e.URL
	u.User = url.UserPassword(e.User, e.Password)
	c, err := govmomi.NewClient(t.Context(), &u, true)
	require.NoError(t, err)
	h.operator = c.Client
	return h
}

func (h *healer) audit(t *testing.T, rules *advice.Ruleset, targets inventory.Targets) *audit.Audit {
	t.Helper()
	a, err := audit.Run(t.Context(), h.source, audit.Request{Rules: rules, Targets: targets, Options: advice.Options{All: true}})
	require.NoError(t, err)
	return a
}

// thereAndBack tries the objects that fail the rule until one lets itself be changed.
func (h *healer) thereAndBack(t *testing.T, rule *advice.Ruleset, first *audit.Audit) {
	id := rule.Rules()[0].ID
	var why []string
	for _, f := range first.Result.Findings {
		if f.Rule.ID != id || f.Outcome != advice.Fail {
			continue
		}
		plan := h.plan(t, first, f)
		if plan.Empty() {
			for _, l := range plan.Skipped {
				why = append(why, l.Target.Name+": "+l.Why)
			}
			continue
		}
		h.heal(t, rule, where(f), f.Object, plan)
		return
	}
	require.Fail(t, "no object of the demo fleet can be healed", "%s", strings.Join(why, "\n"))
}

func (h *healer) heal(t *testing.T, rule *advice.Ruleset, targets inventory.Targets, object inventory.Ref, plan *tuning.Plan) {
	t.Helper()
	id := rule.Rules()[0].ID
	for _, s := range plan.Steps {
		if s.Activation == inventory.ActivationHostReboot || s.Activation == inventory.ActivationDriverReload {
			h.clear(t, s.Host)
		}
	}
	options := tuning.Options{User: "test", PowerCycle: true, HostReboot: true, AcceptIrreversible: true}
	done, err := tuning.Apply(t.Context(), h.estate, h.runs, plan, options)
	require.NoError(t, err, "%s", told(done))
	require.False(t, done.Waits(), "%s", told(done))
	if why, known := notHealed[id]; known {
		require.Equal(t, advice.Fail, outcomeOf(h.audit(t, rule, targets), id, object).Outcome, "it is said to stay: %s", why)
	} else {
		want := advice.Pass
		if slices.Contains(notAsked, id) {
			want = advice.NotApplicable
		}
		require.Equal(t, want, outcomeOf(h.audit(t, rule, targets), id, object).Outcome, "after apply:\n%s", told(done))
	}
	back, err := tuning.Rollback(t.Context(), h.estate, h.runs, done.Run, options)
	require.NoError(t, err, "%s", told(back))
	h.back = append(h.back, takenBack{id, object, told(back)})
}

// plan returns the plan for one finding only; other failures stay as they are.
func (h *healer) plan(t *testing.T, a *audit.Audit, f *advice.Finding) *tuning.Plan {
	t.Helper()
	of := *a.Result
	of.Findings = []*advice.Finding{f}
	proposals, left := remedy.Propose(&of, a.Snapshot, remedy.Request{Rules: []string{f.Rule.ID}})
	p, err := tuning.NewPlan(t.Context(), h.estate.Settings, h.estate.Server, proposals, time.Now(), left...)
	require.NoError(t, err)
	return p
}

// where is the narrowest scope that has the object, and all that its rule looks at.
func where(f *advice.Finding) inventory.Targets {
	if f.Host.Name == "" {
		return inventory.Targets{}
	}
	return inventory.Targets{Hosts: []string{f.Host.ID}}
}

func outcomeOf(a *audit.Audit, rule string, object inventory.Ref) *advice.Finding {
	for _, f := range a.Result.Findings {
		if f.Rule.ID == rule && f.Object == object {
			return f
		}
	}
	return new(advice.Finding)
}

func told(o *tuning.Outcome) string {
	if o == nil {
		return "nothing is told"
	}
	var b strings.Builder
	for _, r := range o.Results {
		fmt.Fprintf(&b, "%s %s: %s %s %s\n", r.Target.Name, r.Key(), r.State, r.Waits, r.Why)
	}
	return b.String() + o.Stopped + strings.Join(o.Warnings, "\n")
}

// clear shuts down the VMs of a host, as an operator does before maintenance without DRS or vMotion.
func (h *healer) clear(t *testing.T, host string) {
	t.Helper()
	var of mo.HostSystem
	pc := property.DefaultCollector(h.operator)
	require.NoError(t, pc.RetrieveOne(t.Context(), types.ManagedObjectReference{Type: "HostSystem", Value: host}, []string{"vm"}, &of))
	var vms []mo.VirtualMachine
	require.NoError(t, pc.Retrieve(t.Context(), of.Vm, []string{"runtime.powerState"}, &vms))
	for _, vm := range vms {
		if vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
			continue
		}
		task, err := object.NewVirtualMachine(h.operator, vm.Self).PowerOff(t.Context())
		require.NoError(t, err)
		require.NoError(t, task.Wait(t.Context()))
	}
}
