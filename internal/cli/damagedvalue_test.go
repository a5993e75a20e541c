package cli

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
)

// damage is what a proxy does to the answers with the devices of VMs.
type damage struct {
	mu  sync.Mutex
	how string // "": nothing
	vm  string // whose device is damaged
}

func (d *damage) now(how string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.how = how
}

// answer damages the size of a disk of one VM, or cuts a page at every try.
func (d *damage) answer(_, answer []byte) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.how == "" || !bytes.Contains(answer, []byte("<name>config.hardware.device</name>")) {
		return answer
	}
	if d.how == "cut" {
		return answer[:len(answer)/2]
	}
	for _, s := range faulty.Spots(answer) {
		if s.Property == "config.hardware.device" && s.Element == "capacityInKB" && (d.vm == "" || d.vm == s.Object) {
			d.vm = s.Object
			return slices.Concat(answer[:s.From], []byte("xx"), answer[s.To:])
		}
	}
	return answer
}

// judgement is a finding: its VM, its outcome, and the reasons of its unread facts.
type judgement struct{ vm, outcome, unread string }

func judgements(t *testing.T, audit string) map[string]judgement {
	t.Helper()
	list, err := auditFindings([]byte(audit))
	require.NoError(t, err)
	all := map[string]judgement{}
	for _, f := range list {
		j := judgement{outcome: f.Outcome, unread: f.Reason}
		if f.Object.Kind != "host" {
			j.vm, _, _ = strings.Cut(f.Object.ID, "/") // of a device, too
		}
		for _, u := range f.Missing {
			j.unread += u.Reason + "\n"
		}
		all[f.Rule+" "+string(f.Object.Kind)+" "+f.Object.ID] = j
	}
	return all
}

// TestCommandsOnDamagedAnswers: a damaged number in a disk of one VM leaves all other VMs judged as before, and --strict ends with 4. A
// page that is cut at every try is reported by audit and by doctor.
func TestCommandsOnDamagedAnswers(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	fleet, err := sharedFaultFleet()
	require.NoError(t, err)
	d := new(damage)
	s := newFaultStage(t, fleet, faulty.Hooks{Answer: d.answer})
	r := s.bounded(t, "audit", "--all", "-o", "json")
	before := judgements(t, r.stdout)
	doubtful := map[string]bool{} // rules that are unknown without damage
	for key, j := range before {
		rule, _, _ := strings.Cut(key, " ")
		doubtful[rule] = doubtful[rule] || j.outcome == "unknown"
	}

	d.now("value")
	r = s.bounded(t, "audit", "--all", "-o", "json")
	require.Equal(t, exitClean, r.code, r.stderr)
	require.NotEmpty(t, d.vm)
	after, changed, rule := judgements(t, r.stdout), 0, ""
	for key, was := range before {
		is, there := after[key]
		if is.outcome == was.outcome {
			continue
		}
		changed++
		require.Contains(t, []string{d.vm, ""}, was.vm, "%s was %s and is %s", key, was.outcome, is.outcome)
		if there && is.vm == d.vm {
			require.Equal(t, "unknown", is.outcome, key)
			require.Regexp(t, `config\.hardware\.device\[\d+\]\.capacityInKB of VM \S+: "xx" is not a number of 64 bits`, is.unread, "%s: %+v", key, is)
			if of, _, _ := strings.Cut(key, " "); !doubtful[of] {
				rule = of
			}
		}
	}
	require.Positive(t, changed)
	require.NotEmpty(t, rule)
	s.must(t, exitIncomplete, "audit", "--rule", rule, "--strict")
	require.Contains(t, s.bounded(t, "doctor", "--timeout", "1m").text(), "cannot be decoded")

	d.now("")
	s.must(t, exitClean, "audit", "--rule", rule, "--strict")
	require.NotContains(t, s.bounded(t, "doctor", "--timeout", "1m").text(), "cannot be decoded")

	d.now("cut")
	r = s.bounded(t, "audit", "--rule", "snapshots", "--rule", rule, "--fail-on", "critical")
	require.Equal(t, exitIncomplete, r.code, r.text())
	require.Contains(t, r.text(), "before it is complete")
	r = s.bounded(t, "doctor", "--timeout", "1m")
	require.NotEqual(t, exitClean, r.code, r.text())
	require.Regexp(t, `answer to \w+ ends at byte \d+ before it is complete`, strings.Join(strings.Fields(r.text()), " "))
}
