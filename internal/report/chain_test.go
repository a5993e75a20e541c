package report_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestChain(t *testing.T) {
	r := crowded(t)
	var got []string
	for _, p := range view.Chain(r) {
		l := p.Link()
		got = append(got, string(l.Kind)+" of "+l.Object.Name+" by "+l.Rule.ID+": "+l.Text())
	}
	require.Equal(t, []string{
		"symptom of db-01 by cpu-ready: ready 9.3 percent of one vCPU's time (p95)",
		"symptom of db-01 by cpu-ready: worst 12.2 percent of one vCPU's time",
		"symptom of db-02 by cpu-ready: ready 6 percent of one vCPU's time (p95)",
		"symptom of db-02 by cpu-ready: worst not read (no permission)",
		"cause of esx01 by ready-by-crowding: cores 96.4 percent (p95)",
		"finding of esx01 by cpu-overcommit: vcpus 1204",
		"finding of esx01 by cpu-overcommit: cores 28",
	}, got, "what is said of the host stands once, and so does the counter that symptom and cause show")
}

func TestChainWithoutASymptomIsWhatWasFound(t *testing.T) {
	f := finding(t, "lro", esx01)
	chain := view.Chain(&advice.Recommendation{Rule: f.Rule, Findings: []*advice.Finding{f}})
	require.Len(t, chain, 1)
	require.Equal(t, view.Link{Kind: view.LinkFinding, Rule: f.Rule, Object: esx01}, chain[0].Link())
	require.Equal(t, f.Rule.Title, view.Chain(&advice.Recommendation{Findings: []*advice.Finding{f}})[0].Link().Text())
}

func TestCommands(t *testing.T) {
	limit := change("vm-cpu-limit", db01)
	numa := change("host-option/Net.NetNetqNumaIOCpuPinThreshold", esx01)
	value := numa
	value.Consent, value.Params = advice.ConsentValue, []string{"threshold"}
	given := value
	given.Given = true
	never := numa
	never.Consent = advice.ConsentNever
	person := numa
	person.Activation = inventory.ActivationManual
	noParam := numa
	noParam.Consent = advice.ConsentValue
	of := func(rule string, o inventory.Ref, c ...advice.Change) *advice.Finding {
		f := finding(t, rule, o)
		f.Remedies = c
		return f
	}
	pending := of("numa-io", esx01, numa)
	pending.Pending = "reboot"
	var many []*advice.Finding
	for _, n := range "abcdefghi" {
		f := of("cpu-limit", inventory.Ref{Kind: inventory.ScopeVM, Name: string(n)}, limit)
		f.Host = esx01
		many = append(many, f)
	}
	lost := of("cpu-limit", db01, limit)
	lost.Object.Name, lost.Object.ID, lost.Host = "", "", inventory.Ref{}
	for name, tc := range map[string]struct {
		findings []*advice.Finding
		want     []string
	}{
		"nothing":              {nil, nil},
		"a host":               {[]*advice.Finding{of("numa-io", esx01, numa)}, []string{"vperf plan esx01 --rule numa-io", "vperf apply esx01 --rule numa-io"}},
		"a VM":                 {[]*advice.Finding{of("cpu-limit", db01, limit)}, []string{"vperf plan --vm db-01 --rule cpu-limit", "vperf apply --vm db-01 --rule cpu-limit"}},
		"two VMs":              {[]*advice.Finding{of("cpu-limit", db01, limit), of("cpu-limit", db02, limit)}, []string{"vperf plan --vm 'db-01,db-02' --rule cpu-limit", "vperf apply --vm 'db-01,db-02' --rule cpu-limit"}},
		"many VMs of a host":   {many, []string{"vperf plan esx01 --rule cpu-limit", "vperf apply esx01 --rule cpu-limit"}},
		"one that has no name": {[]*advice.Finding{lost}, []string{"vperf plan --rule cpu-limit"}},
		"a value":              {[]*advice.Finding{of("numa-io", esx01, value)}, []string{"vperf plan esx01 --rule numa-io --set numa-io.threshold=VALUE", "vperf apply esx01 --rule numa-io --set numa-io.threshold=VALUE"}},
		"a value given":        {[]*advice.Finding{of("numa-io", esx01, given)}, []string{"vperf plan esx01 --rule numa-io", "vperf apply esx01 --rule numa-io"}},
		"by hand":              {[]*advice.Finding{of("numa-io", esx01, never), of("numa-io", esx01, person), of("numa-io", esx01, noParam), of("numa-io", esx01)}, nil},
		"pending":              {[]*advice.Finding{pending}, nil},
		"a device":             {[]*advice.Finding{of("pnic-features", inventory.Ref{Kind: inventory.ScopeVNIC, Name: "Network adapter 1", ID: "vm-7/4000"}, numa)}, []string{"vperf plan --vm vm-7 --rule pnic-features", "vperf apply --vm vm-7 --rule pnic-features"}},
		"a cluster":            {[]*advice.Finding{of("numa-io", inventory.Ref{Kind: inventory.ScopeCluster, Name: "low lat"}, numa)}, []string{"vperf plan --cluster 'low lat' --rule numa-io", "vperf apply --cluster 'low lat' --rule numa-io"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, view.Commands(typed.Source{}, &advice.Recommendation{Findings: tc.findings}))
		})
	}
}

// TestCommandsOfHostileNames checks that commands are safe to paste into a shell, because other people choose the names.
func TestCommandsOfHostileNames(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	for name, want := range map[string]string{
		"web 01":               "web 01",
		"-rf":                  "vm-1",
		"--yes":                "vm-1",
		"a,b":                  "vm-1",
		"a'; touch /tmp/x; '":  "vm-1",
		"$(reboot)":            "vm-1",
		"`reboot`":             "vm-1",
		`"quoted"`:             "vm-1",
		`back\slash`:           "vm-1",
		"two\nlines":           "vm-1",
		"\x1b[31mred":          "vm-1",
		"\u202efdp.exe":        "vm-1",
		"a|b":                  "vm-1",
		"<script>":             "vm-1",
		"50%2f50":              "vm-1",
		"ends. ":               "vm-1",
		"ends.":                "vm-1",
		"*":                    "vm-1",
		"!!":                   "vm-1",
		"müller (old) [x]{y}+": "vm-1",
		"müller (old) [x]{y}":  "müller (old) [x]{y}",
		"/dc/vm/web":           "/dc/vm/web",
		"":                     "vm-1",
	} {
		t.Run(name, func(t *testing.T) {
			f := finding(t, "cpu-limit", inventory.Ref{Kind: inventory.ScopeVM, Name: name, ID: "vm-1"})
			f.Remedies = []advice.Change{change("vm-cpu-limit", f.Object)}
			command := view.Commands(typed.Source{}, &advice.Recommendation{Findings: []*advice.Finding{f}})[1]
			out, err := exec.CommandContext(t.Context(), sh, "-c", "printf '%s|' "+strings.TrimPrefix(command, "vperf ")).Output()
			require.NoError(t, err)
			require.Equal(t, "apply|--vm|"+want+"|--rule|cpu-limit|", string(out))
		})
	}
}
