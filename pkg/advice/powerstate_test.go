package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// withPower sets the power state of the VM of the small fleet. Its limit and its vNIC both fail a rule.
func withPower(power string, template bool) *inventory.Snapshot {
	s := smallFleet()
	vm := s.VCenters[0].VMs[0]
	vm.PowerState, vm.Template = inventory.Known(power), inventory.Known(template)
	s.VCenters[0].VMs = s.VCenters[0].VMs[:1]
	s.Link()
	return s
}

func TestRulesSkipVMsThatDoNotRun(t *testing.T) {
	for name, c := range map[string]struct {
		power    string
		template bool
		include  []advice.VMState
		want     advice.Outcome
		reason   string
	}{
		"runs":                       {power: "poweredOn", want: advice.Fail},
		"off":                        {power: "poweredOff", want: advice.NotApplicable, reason: "powered off"},
		"suspended":                  {power: "suspended", want: advice.NotApplicable, reason: "suspended"},
		"template":                   {power: "poweredOff", template: true, want: advice.NotApplicable, reason: "template"},
		"off, asked for":             {power: "poweredOff", include: []advice.VMState{advice.VMOff}, want: advice.Fail},
		"suspended, asked for":       {power: "suspended", include: []advice.VMState{advice.VMOff}, want: advice.Fail},
		"off, templates asked for":   {power: "poweredOff", include: []advice.VMState{advice.VMTemplate}, want: advice.NotApplicable, reason: "powered off"},
		"template, off asked for":    {power: "poweredOff", template: true, include: []advice.VMState{advice.VMOff}, want: advice.NotApplicable, reason: "template"},
		"template, asked for":        {power: "poweredOff", template: true, include: []advice.VMState{advice.VMTemplate}, want: advice.Fail},
		"template, all is asked for": {power: "poweredOff", template: true, include: advice.VMStates(), want: advice.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			r := evaluate(t, withPower(c.power, c.template), advice.Options{All: true, Include: c.include}, "cpu-limit", "vnic-vmxnet3")
			require.Len(t, r.Findings, 2, "the VM and its vNIC")
			for _, f := range r.Findings {
				require.Equal(t, c.want, f.Outcome, f.Rule.ID)
				if c.want == advice.NotApplicable {
					require.Equal(t, c.reason, f.Reason)
				}
			}
		})
	}
}

// TestARuleJudgesVMsThatDoNotRun: a rule with a state in judges evaluates such VMs by default.
func TestARuleJudgesVMsThatDoNotRun(t *testing.T) {
	for _, c := range []struct {
		judges, power string
		template      bool
		want          advice.Outcome
	}{
		{"[off]", "poweredOff", false, advice.Fail},
		{"[off]", "poweredOff", true, advice.NotApplicable},
		{"[templates]", "poweredOff", false, advice.NotApplicable},
		{"[templates]", "poweredOff", true, advice.Fail},
		{"[off, templates]", "poweredOff", true, advice.Fail},
	} {
		set := rulesOf(t, advice.Selection{}, "id: any-vm\ntitle: T\ncategory: vm\nscope: vm\nseverity: low\nwhy: W.\njudges: "+c.judges+"\nwant: vm.vcpus > 99\n")
		r, err := advice.Evaluate(t.Context(), withPower(c.power, c.template), set, advice.Options{All: true})
		require.NoError(t, err)
		require.Equal(t, c.want, r.Findings[0].Outcome, "%+v", c)
	}
}

func TestSkippedVMsAreCounted(t *testing.T) {
	off, template := withPower("poweredOff", false), withPower("poweredOff", true)
	r := evaluate(t, off, advice.Options{}, "cpu-limit")
	require.Equal(t, []int{1, 0}, []int{r.Off, r.Templates})
	r = evaluate(t, template, advice.Options{}, "cpu-limit")
	require.Equal(t, []int{0, 1}, []int{r.Off, r.Templates})
	r = evaluate(t, off, advice.Options{Include: advice.VMStates()}, "cpu-limit")
	require.Zero(t, r.Off+r.Templates, "the user asked for them")
	r = evaluate(t, off, advice.Options{}, "power-policy", "vm-hardware-version")
	require.Zero(t, r.Off+r.Templates, "no rule skips them")
}

func TestWhetherAVMRunsWasNotRead(t *testing.T) {
	s := withPower("poweredOn", false)
	vm := s.VCenters[0].VMs[0]
	vm.PowerState = inventory.Unread[string]("no permission")
	r := evaluate(t, s, advice.Options{}, "cpu-limit")
	require.Equal(t, advice.Unknown, r.Findings[0].Outcome)
	require.Equal(t, "VM.powerState", r.Findings[0].Gaps[0].Fact)

	vm.Live = inventory.NewLive(map[string]inventory.Series{"cpu.ready": {Samples: 1}})
	require.Equal(t, advice.Fail, evaluate(t, s, advice.Options{}, "cpu-limit").Findings[0].Outcome, "counters show that it ran")
	vm.Live = nil

	vm.Template = inventory.Known(true)
	require.Empty(t, evaluate(t, s, advice.Options{}, "cpu-limit").Findings, "no template runs")
}

// TestSkippedVMsAndWhatIsAccepted: a skipped finding is neither fixed nor known to pass.
func TestSkippedVMsAndWhatIsAccepted(t *testing.T) {
	on, off := withPower("poweredOn", false), withPower("poweredOff", false)
	off.VCenters[0].Whole = true
	b := advice.NewBaseline(evaluate(t, on, advice.Options{}, "cpu-limit", "vnic-vmxnet3"))
	require.Len(t, b.Findings, 2)
	require.Equal(t, &advice.BaselineCount{Unseen: 2}, compared(t, b, off, advice.Options{}, "cpu-limit", "vnic-vmxnet3").Baseline)
	require.Equal(t, &advice.BaselineCount{Known: 2}, compared(t, b, off, advice.Options{Include: advice.VMStates()}, "cpu-limit", "vnic-vmxnet3").Baseline)

	require.Empty(t, waived(t, off, "- {rule: cpu-limit, object: web-01, reason: known, until: 2026-06-10}\n", "cpu-limit").Warnings)
}

func TestJudgesIsChecked(t *testing.T) {
	for text, message := range map[string]string{
		"scope: vm\njudges: [of]\nwant: vm.vcpus > 1\n":      `no state of VMs "of" (did you mean "off"?)`,
		"scope: host\njudges: [off]\nwant: host.cores > 1\n": "judges is only for rules of scope vm, vnic, vdisk",
	} {
		require.ErrorContains(t, compileText("id: my-rule\ntitle: T\ncategory: vm\nseverity: low\nwhy: W.\n"+text), message)
	}
}
