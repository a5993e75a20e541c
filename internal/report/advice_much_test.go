package report_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// named returns an object of a kind with a numbered name.
func named(kind inventory.Scope, format string, n int) inventory.Ref {
	name := fmt.Sprintf(format, n)
	return inventory.Ref{Kind: kind, Name: name, ID: name, VCenter: esx01.VCenter, Path: "/dc/" + name}
}

// cast creates findings; those of one rule share it, as in a library.
type cast map[string]*advice.Rule

func (c cast) shown(rule string, o inventory.Ref, sources ...string) *advice.Finding {
	f := shown(rule, o, sources...)
	if c[rule] == nil {
		c[rule] = f.Rule
	}
	f.Rule = c[rule]
	return f
}

// muchOfOne is one recommendation with more of everything than fits: symptoms of two rules on many VMs, proofs, other faults,
// findings, changes and unread facts.
func muchOfOne() *advice.Recommendation {
	ready := shown("ready", db01, `vm.live("cpu.ready").p95`, `vm.live("cpu.costop").p95`, `vm.live("mem.active").mean`, `vm.live("mem.granted").mean`, "vm.vcpus")
	busy := shown("busy", db01, `vm.live("net.rx").p95`)
	symptom := func(like *advice.Finding, o inventory.Ref, lost float64) *advice.Finding {
		f := *like
		f.Evaluated, f.Lost = &advice.Evaluated{Object: o, Host: like.Host, Profile: like.Profile}, inventory.Known(lost)
		return &f
	}
	cause := shown("crowd", db01, "host.cores", "vm.vcpus", "vm.memoryMB", "vm.name", "vm.path", "host.name", `host.live("cpu.load").p95`)
	cause.Rule.Explains, cause.Rule.Tradeoff, cause.Rule.Action = []string{"busy", "ready"}, "It costs\n  a move.", "Move VMs\n  away."
	r := &advice.Recommendation{Rule: cause.Rule, Object: esx01, Severity: advice.Critical, Effort: advice.EffortMedium, Risk: advice.ConsentNamed}
	for n := range 7 {
		vm := named(inventory.ScopeVM, "vm-%02d", n)
		lost := []float64{0, 3, 2, math.NaN(), 1, 2, 0}[n]
		proof := *cause
		proof.Evaluated = &advice.Evaluated{Object: vm, Host: cause.Host, Profile: cause.Profile}
		d := &advice.Diagnosis{Finding: &proof, Cause: esx01, Symptoms: []*advice.Finding{symptom(ready, vm, lost), symptom(busy, vm, 0.5)}}
		if n > 3 {
			other := shown(fmt.Sprintf("also-%d", n), vm, "vm.vcpus", "vm.memoryMB")
			other.Notes = []string{"A note of it."}
			d.Finding = other
		}
		r.Diagnoses = append(r.Diagnoses, d)
		next := shown(fmt.Sprintf("next-%d", n/2), vm)
		r.Also = append(r.Also, &advice.Diagnosis{Finding: next}, &advice.Diagnosis{Finding: &proof})
		fix := shown(fmt.Sprintf("fix-%d", n/3), vm, "vm.vcpus", "vm.memoryMB", "vm.cpuLimitMHz", "vm.cpuShares")
		c := change("vm-cpu-limit", vm)
		c.Consent = []advice.Consent{advice.ConsentFree, advice.ConsentNamed, advice.ConsentValue}[n%3]
		fix.Remedies, fix.Rule.Tradeoff = []advice.Change{c}, fmt.Sprintf("The fix costs %d.", n)
		fix.Rule.Notes = []advice.Note{{Text: "Said of all."}, {Text: fmt.Sprintf("Said of %d.", n), When: advice.Expr{Source: "vm.vcpus > 1"}}, {Text: "Not said.", When: advice.Expr{Source: "vm.vcpus > 2"}}}
		fix.Notes = []string{"Said of all.", fmt.Sprintf("Said of %d.", n)}
		r.Findings = append(r.Findings, fix)
		r.Unseen = append(r.Unseen,
			advice.Gap{Object: vm, Fact: fmt.Sprintf("VM.fact%d", n), Reason: "no permission"},
			advice.Gap{Object: vm, Fact: "VM.one", Reason: fmt.Sprintf("reason %d", n)},
			advice.Gap{Fact: "VM.other", Reason: fmt.Sprintf("reason %d", n)},
			advice.Gap{Object: vm, Fact: "VM.captured", Reason: "a capture has no configuration; --from FILE adds it"})
	}
	r.Unseen = append(r.Unseen, advice.Gap{Fact: "VM.nobody's", Reason: "none"})
	r.Impact = advice.Impact{Objects: 7, VMs: 7, Lost: inventory.Known(0.0), Share: inventory.Known(1.0)}
	less := func(text, when string, holds inventory.Fact[bool]) advice.Expected {
		return advice.Expected{Benefit: advice.Benefit{Text: text, When: when, Source: "a test"}, Holds: holds}
	}
	r.Benefits = []advice.Expected{
		less("No published measurement", "", inventory.Absent[bool]()), less("a", "x", inventory.Known(true)), less("b", "", inventory.Known(true)),
		less("c", "y", inventory.Known(true)), less("d", "z", inventory.Known(true)), less("e", "z", inventory.Unread[bool]("x")), less("f", "z", inventory.Known(false)),
	}
	return r
}

// much is a fleet with more of everything than fits.
func much(t *testing.T) view.Advice {
	out, rules := new(advice.Advice), cast{}
	a := adviceOf(out, held(87))
	a.TakenAt = adviceTo.Add(-3 * time.Hour)
	out.Recommendations = []*advice.Recommendation{muchOfOne(), limited(t)}
	alone := shown("alone", db01, `vm.live("cpu.ready").p95`)
	alone.Lost = inventory.Known(0.25)
	for n := range 12 {
		c := shown(fmt.Sprintf("cause-%02d", n), db01, "vm.vcpus")
		out.Recommendations = append(out.Recommendations, &advice.Recommendation{
			Rule: c.Rule, Object: db01, Severity: advice.Medium, Diagnoses: []*advice.Diagnosis{{Finding: c, Cause: db01, Symptoms: []*advice.Finding{alone}}},
			Impact: advice.Impact{Objects: 1 + n%2, VMs: 1, Lost: inventory.Absent[float64](), Share: inventory.Known(float64(n) / 12)},
		})
	}
	for n := range 9 {
		r := wrongSwitch(t)
		r.ByLoad = n%2 == 0
		out.Recommendations = append(out.Recommendations, r)
	}
	out.Recommendations = append(out.Recommendations, manyLRO(t))
	for n := range 14 {
		vm := named(inventory.ScopeVM, "lone-%02d", n)
		u := &advice.Unexplained{Symptom: rules.shown(fmt.Sprintf("symptom-%02d", n%12), vm, `vm.live("cpu.ready").p95`)}
		u.Symptom.Severity, u.Symptom.Lost = advice.Medium, inventory.Known(float64(n))
		var excluded []*advice.Diagnosis
		for k := range n {
			d := rules.shown(fmt.Sprintf("perhaps-%02d", k), vm)
			d.Outcome, d.Gaps = advice.Unknown, []advice.Gap{{Object: vm, Fact: fmt.Sprintf("VM.fact%d", k), Reason: "no permission"}}
			not := rules.shown(fmt.Sprintf("not-%02d", k), vm)
			u.Possible, excluded = append(u.Possible, &advice.Diagnosis{Finding: d}), append(excluded, &advice.Diagnosis{Finding: not})
		}
		u.RuledOut = excluded
		out.Unexplained = append(out.Unexplained, u)
		fine := rules.shown(fmt.Sprintf("fine-%d", n/5), vm, "vm.vcpus", "vm.memoryMB", "vm.name", "vm.path", "vm.cpuShares", "vm.cpuLimitMHz")
		out.Harmless = append(out.Harmless, &advice.Diagnosis{Finding: fine, Symptoms: []*advice.Finding{u.Symptom, u.Symptom, alone}})
		a.Result.Unread = append(a.Result.Unread,
			advice.Gap{Object: vm, Fact: fmt.Sprintf("VM.fact%d", n), Reason: "no permission"},
			advice.Gap{Object: vm, Fact: "VM.one", Reason: fmt.Sprintf("reason %02d", n)})
	}
	a.Efficiency, a.Spots = muchOfHosts(), muchThatIsHot(t)
	return a
}

func muchOfHosts() []efficiency.Figure {
	var all []efficiency.Figure
	for n := range 9 {
		for _, o := range []inventory.Ref{named(inventory.ScopeHost, "esx%02d", n), named(inventory.ScopeCluster, "cluster%02d", n)} {
			figure := func(id string, v inventory.Fact[float64]) {
				all = append(all, efficiency.Figure{ID: id, Object: o, Title: "figure " + id, Value: v, Unit: "u", From: []string{"one", "two"}})
			}
			figure("vcpus-per-core", inventory.Known(float64(n)))
			figure("packets-rx", inventory.Known(float64(n)*12345))
			figure("packets-tx", inventory.Known(float64(n)*1234567))
			figure("headroom", inventory.Known(float64((n*5)%9)))
			figure("mhz-per-watt", inventory.Unread[float64](fmt.Sprintf("why %d", n/2)))
		}
	}
	return all
}

func muchThatIsHot(t *testing.T) []hotspot.Spot {
	var all []hotspot.Spot
	for n, m := range esxtop.Catalogue() {
		if m.Threshold == nil || len(all) > 40 {
			continue
		}
		for _, object := range []string{"db-01", fmt.Sprint("other-", n)} {
			all = append(all, hotspot.Spot{
				Metric: m, Host: fmt.Sprintf("hot%d", n%2), Object: object, Worst: float64(n), Mean: 0.5, Samples: 12, Beyond: 9, At: adviceFrom, Longest: time.Minute,
			})
		}
	}
	require.Greater(t, len(all), 20)
	return all
}

// TestAdviceOfMuch checks that a long list shows its first items and the number of the others, and that --all shows all
// items.
func TestAdviceOfMuch(t *testing.T) {
	for name, change := range map[string]func(a *view.Advice){
		"much":          func(*view.Advice) {},
		"much-whole":    func(a *view.Advice) { a.Whole = true },
		"much-captured": func(a *view.Advice) { a.Captured = true },
	} {
		t.Run(name, func(t *testing.T) {
			a := much(t)
			change(&a)
			var b bytes.Buffer
			require.NoError(t, report.Terminal{Width: 140}.Show(&b, report.Advice(view.New(a), report.Terminal{Width: 140})))
			golden.Equal(t, "testdata/advice/"+name+".txt", b.Bytes())
		})
	}
	a := fullAdvice(t)
	a.Whole = true
	golden.Equal(t, "testdata/advice/full-whole.txt", []byte(adviceTable(t, a, 80)))
}

// TestAdviceScreen: a terminal shows the first items and counts the others on one screen, whatever its width.
func TestAdviceScreen(t *testing.T) {
	for name, a := range map[string]view.Advice{"full": fullAdvice(t), "much": much(t), "hostile": hostileAdvice(t)} {
		for _, width := range []int{80, 120, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				var b bytes.Buffer
				v := view.New(a)
				require.NoError(t, report.Terminal{Width: width, TTY: true}.Show(&b, report.Advice(v, report.Terminal{Width: width, TTY: true})))
				text := b.String()
				require.LessOrEqual(t, strings.Count(text, "\n"), 39)
				for line := range strings.Lines(text) {
					if !strings.Contains(line, " vperf ") { // a command is not cut
						require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), width, "%s", line)
					}
				}
				if n := len(v.Showing()); n > 0 {
					require.Contains(t, text, fmt.Sprintf("\n%-2d  ", min(n, 4)), "items have their rank")
					require.Contains(t, text, "--all shows everything")
				}
			})
		}
	}
	var b bytes.Buffer
	require.NoError(t, report.Terminal{Width: 100, TTY: true}.Show(&b, report.Advice(view.New(much(t)), report.Terminal{Width: 100, TTY: true})))
	golden.Equal(t, "testdata/advice/much-screen.txt", b.Bytes())
}
