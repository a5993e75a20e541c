package report_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// longRule returns n failures of one rule, with a number, a word and a name as evidence.
func longRule(n int) []*advice.Finding {
	rule := &advice.Rule{ID: "old-hardware", Title: "Old", Category: "vm"}
	kind, _ := inventory.LookupSetting("vm-vcpus")
	all := make([]*advice.Finding, n)
	for i := range all {
		name := fmt.Sprintf("web-%02d", i)
		ref := inventory.Ref{Kind: inventory.ScopeVM, Name: name, ID: "vm-" + name, VCenter: "vc", Path: "/" + name}
		all[i] = &advice.Finding{
			Evaluated: &advice.Evaluated{Object: ref, Profile: advice.ProfileGeneral, ProfileWhy: "x"}, Rule: rule, Outcome: advice.Fail, Severity: advice.Low,
			Evidence: []advice.Measured{
				measured("version", int64(9+i)), measured("family", []string{"linux", "windows"}[i%2]), measured("name", name), measured("old", true),
			},
			Remedies: []advice.Change{{
				Object: ref, Setting: kind, From: inventory.Known(inventory.IntValue(1)), To: inventory.Known(inventory.IntValue(int32(2 + i%2))),
				Activation: inventory.ActivationPowerOff, Consent: advice.ConsentNamed,
			}},
		}
	}
	return all
}

func auditOfAll(all []*advice.Finding, whole bool) report.Audit {
	return report.Audit{Source: "vc", Whole: whole, Result: &advice.Result{Findings: all, Rules: map[string]*advice.RuleCount{}, Counts: map[advice.Outcome]int{advice.Fail: len(all)}}}
}

func TestALongListIsOneRow(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.Terminal{}.Show(&b, report.Details(auditOfAll(longRule(20), false))))
	require.Contains(t, b.String(), `
LOW  old-hardware  Old
  20 VMs: web-00, web-01, web-02 and 17 more (--all, JSON and CSV list them)  version 9 to 28, family linux (10), windows (10), old true
    fix: vm-vcpus to 2 or 3 (power-off; needs --rule)
`)
	b.Reset()
	require.NoError(t, report.Details(auditOfAll(longRule(20), false)).Markdown(&b))
	require.Contains(t, b.String(), "- 20 VMs: web-00, web-01, web-02 and 17 more (--all, JSON and CSV list them): version 9 to 28, family linux (10), windows (10), old true\n  - **fix:** vm-vcpus to 2 or 3 (power-off; needs --rule)\n")

	for _, list := range []report.Audit{auditOfAll(longRule(20), true), auditOfAll(longRule(3), false)} {
		b.Reset()
		require.NoError(t, report.Terminal{}.Show(&b, report.Details(list)))
		require.NotContains(t, b.String(), " VMs:")
		require.Contains(t, b.String(), "  web-02  version 11, family linux, name web-02, old true\n    fix: vm-vcpus 1 to 2")
		b.Reset()
		require.NoError(t, report.Details(list).Markdown(&b))
		require.Contains(t, b.String(), "\n- web-02: ")
	}
}

// TestMachinesGetEveryObject checks that formats for programs list every object.
func TestMachinesGetEveryObject(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer, report.Audit) error{
		"json": func(b *bytes.Buffer, a report.Audit) error { return report.JSON(b, a) },
		"csv":  func(b *bytes.Buffer, a report.Audit) error { return report.CSV(b, a) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b, auditOfAll(longRule(20), false)))
		for i := range 20 {
			require.Contains(t, b.String(), fmt.Sprintf("/web-%02d", i), name)
		}
	}
}

func TestDevicesOfOneVMShareARow(t *testing.T) {
	all := longRule(3)
	for i, f := range all {
		f.Object.Kind, f.Remedies, f.Evidence = inventory.ScopeVNIC, nil, []advice.Measured{measured("type", "e1000")}
		f.Object.ID, f.Object.Name = fmt.Sprintf("vm-1/400%d", i), fmt.Sprintf("web/Network adapter %d", i+1)
	}
	all[2].Evidence[0] = measured("type", "e1000e")
	var b bytes.Buffer
	require.NoError(t, report.Terminal{}.Show(&b, report.Details(auditOfAll(all, false))))
	require.Contains(t, b.String(), "  web/Network adapter 1, Network adapter 2  type e1000\n  web/Network adapter 3  type e1000e\n")
	b.Reset()
	require.NoError(t, report.Details(auditOfAll(all, false)).Markdown(&b))
	require.Contains(t, b.String(), "- web/Network adapter 1, Network adapter 2: type e1000\n")
}

func TestWhatAFindingCoversIsNamed(t *testing.T) {
	all := longRule(1)
	other := all[0].Object
	other.Name, other.ID = "web-99", "vm-99"
	all[0].Covers = []advice.Covered{{Rule: "balloon-disabled", Object: all[0].Object}, {Rule: "old-hardware", Object: other}}
	var b bytes.Buffer
	require.NoError(t, report.Terminal{}.Show(&b, report.Details(auditOfAll(all, false))))
	require.Contains(t, b.String(), "    covers: balloon-disabled\n    one check for 2 VMs, also: web-99\n")
	b.Reset()
	require.NoError(t, report.JSON(&b, auditOfAll(all, false)))
	validate(t, b.Bytes())
	require.Contains(t, b.String(), `"covers":[`)
}

// TestJSONNamesMissingFacts checks that an unknown outcome names the missing facts and the reason.
func TestJSONNamesMissingFacts(t *testing.T) {
	all := longRule(1)
	all[0].Outcome, all[0].Remedies, all[0].Gaps = advice.Unknown, nil, []advice.Gap{{Object: all[0].Object, Fact: "VM.vmx", Reason: "no permission"}}
	var b bytes.Buffer
	require.NoError(t, report.JSON(&b, auditOfAll(all, false)))
	validate(t, b.Bytes())
	require.Regexp(t, `(?s)"missing": \[\s+{"fact":"VM.vmx","reason":"no permission"}`, b.String())
}

func TestSkippedVMsAreNamed(t *testing.T) {
	a := auditOfAll(nil, false)
	a.Result.Off, a.Result.Templates = 24, 1
	var b bytes.Buffer
	require.NoError(t, report.Terminal{}.Show(&b, report.Details(a)))
	require.Contains(t, b.String(), "24 powered-off VMs and 1 template: judged only by the rules that matter for them (--include-vms off,templates judges them by all)\n")
	b.Reset()
	require.NoError(t, report.JSON(&b, a))
	validate(t, b.Bytes())
	require.Contains(t, b.String(), `"off": 24`)
}

func TestARuleNamesWhatItCovers(t *testing.T) {
	rule := &advice.Rule{ID: "lead", Title: "T", Category: "vm", Scope: inventory.ScopeVM, Judges: []advice.VMState{advice.VMOff}, Covers: []advice.Cover{{Rule: "other"}}}
	var b bytes.Buffer
	require.NoError(t, report.Explain(rule).Terminal(&b, 0, iostreams.Style{}))
	require.Contains(t, b.String(), "looks at each vm that is no template; severity")
	require.Contains(t, b.String(), "\ncovers\n  other\n")
	require.NotContains(t, b.String(), "\nmeasured here\n")
	b.Reset()
	here := view.MeasuredHere{Rule: "lead", Run: "20261120-221530.123-ab12", Date: time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC), Units: []string{"esx01\x1b"}, Text: "Keep: it helps"}
	other := view.MeasuredHere{Rule: "other", Text: "Worse: it hurts"}
	require.NoError(t, report.Explain(rule, other, here).Terminal(&b, 0, iostreams.Style{}))
	require.Contains(t, b.String(), "\nmeasured here\n  Keep: it helps; 2026-11-20 on esx01\\x1b, vperf trial show 20261120-221530.123-ab12\n")
	require.NotContains(t, b.String(), "it hurts", "a trial of another rule")
	b.Reset()
	require.NoError(t, report.RulesJSON(&b, []*advice.Rule{rule}))
	require.Regexp(t, `(?s)"judges": \[\s+"off"\s+\],\s+"covers": \[\s+"other"`, b.String())
}
