package guide

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
)

// guideRule returns a rule with remedies in the form of a rule file.
func guideRule(t *testing.T, remedy string) *advice.Rule {
	t.Helper()
	text := `id: x
title: It is wrong
category: memory
scope: vm
severity: info
profiles: {hpc: high, latency: high, general: low}
want: vm.memoryLimitMB == -1 && vm.vmx("a.b") == "" && vm.vmxKeys("(?i)^c\\.").size() == 0
params: {limit: {value: "", about: the limit}}
remedy:
` + remedy + `why: so
tradeoff: none
benefit: [{metric: x, text: No published measurement}]
sources: [nowhere]
examples:
  - {name: a, facts: {vm: {memoryLimitMB: 1, vmx: {}}}, expect: fail}
  - {name: b, facts: {vm: {memoryLimitMB: -1, vmx: {}}}, expect: pass}
  - {name: c, facts: {vm: {}}, expect: unknown}
`
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"memory/x.yaml": {Data: []byte(text)}}})
	require.NoError(t, err)
	return l.Rules()[0]
}

func TestChangeInWords(t *testing.T) {
	for _, tc := range []struct{ remedy, said string }{
		{`{set: vm-memory-limit, to: "-1"}`, "set `vm-memory-limit` to `-1`"},
		{`{set: vm-memory-limit, to: "-1", when: "vm.memoryLimitMB != -1"}`, "set `vm-memory-limit` to `-1`"},
		{`{set: vm-memory-limit, to: "-1", when: "vm.vcpus != -1"}`, "set `vm-memory-limit` to `-1`, where its condition below holds"},
		{`{set: vm-memory-lock, to: "true", when: "!vm.memoryReservationLocked"}`, "set `vm-memory-lock` to `true`"},
		{`{set: vm-memory-lock, to: "true", when: "!vm.cpuHotAdd"}`, "set `vm-memory-lock` to `true`, where its condition below holds"},
		{`{set: vm-vmx/a.b, to: '""'}`, "remove VMX key `a.b`"},
		{`{set: vm-vmx/a.b, to: params.limit}`, "set VMX key `a.b` to the parameter `limit`"},
		{`{set: vm-cpu-affinity, to: '""'}`, "clear `vm-cpu-affinity`"},
		{`{set: vm-memory-limit, to: vm.memoryMB + 1}`, "set `vm-memory-limit` to `vm.memoryMB + 1`"},
		{`{set: vm-memory-limit, to: "vm.memoryMB > 1024 ? vm.memoryMB + vm.memoryMB / 2 + 1 : vm.memoryMB + vm.memoryMB / 4 + 1"}`,
			"set `vm-memory-limit` to the value of fix 1 below"},
	} {
		r := guideRule(t, "  - "+tc.remedy+"\n")
		require.Equal(t, tc.said, change(r.Remedy[0], 1, false), tc.remedy)
	}
	r := guideRule(t, `  - {set: vm-memory-limit, to: "-1"}`+"\n")
	require.Equal(t, "otherwise set `vm-memory-limit` to `-1`", change(r.Remedy[0], 2, true))
}

func TestWhatItTakes(t *testing.T) {
	limit := `  - {set: vm-memory-limit, to: "-1"}` + "\n"
	require.Equal(t, "live", takes(guideRule(t, limit)))
	require.Equal(t, "live or power-cycle", takes(guideRule(t, `  - {set: vm-vmx/a.b, to: '""'}`+"\n"+limit)))
	require.Equal(t, "explained only", takes(guideRule(t, `  - {set: vm-memory-limit, to: "-1", consent: never}`+"\n")))
	require.Equal(t, "by-hand", takes(guideRule(t, `  - {set: vm-tools, to: '"current"'}`+"\n")))
	require.Equal(t, "advice", takes(&advice.Rule{}))
	require.Equal(t, "a person looks", takes(&advice.Rule{Manual: "there"}))
}

func TestFixNumbers(t *testing.T) {
	require.Empty(t, fixNumbers(1, 3, 3))
	require.Equal(t, "Fix 2", fixNumbers(2, 2, 3))
	require.Equal(t, "Fixes 2 to 4", fixNumbers(2, 4, 5))
	require.Equal(t, "Fixes 1 and 2", fixNumbers(1, 2, 3))
}

func TestSeverityInWords(t *testing.T) {
	r := guideRule(t, `  - {set: vm-memory-limit, to: "-1"}`+"\n")
	require.Equal(t, "high for latency and hpc, low for general, otherwise info", bySeverity(r))
	require.Equal(t, "a, b and c", and([]string{"a", "b", "c"}))
}

func TestArgumentsOfFunctions(t *testing.T) {
	r := guideRule(t, `  - {set: vm-memory-limit, to: "-1"}`+"\n")
	require.Equal(t, []string{"a.b"}, arguments(r, "vmx"))
	require.Equal(t, []string{`(?i)^c\.`}, arguments(r, "vmxKeys"))
	require.Empty(t, arguments(r, "live"))
	r.Want.Source = `vm.live("cpu.ready").p95 < 5.0`
	require.Equal(t, []string{"cpu.ready"}, arguments(r, "live"))
}

func TestReadingInWords(t *testing.T) {
	require.Equal(t, "`VM.vcpus` counts virtual CPUs: `config.hardware.numCPU`",
		reading("VM.vcpus", fact{"counts virtual CPUs", []string{"config.hardware.numCPU"}}))
	require.Equal(t, "`VM.guestId` is `config.guestId`", reading("VM.guestId", fact{"is config.guestId", []string{"config.guestId"}}))
}

func TestAnchors(t *testing.T) {
	require.Equal(t, "how-to-read-this-guide", anchor("How to read this guide"))
	require.Equal(t, "numa-io", anchor("numa-io"))
	front, cpu := &sheet{path: Front}, &sheet{path: "rules/cpu.md", raise: 1}
	front.say("[here](#here), [there](#there) and [nowhere](#nowhere)")
	front.heading(2, "Here")
	cpu.heading(2, "There")
	cpu.say("[here](#here), [there](#there)")
	require.Equal(t, "[here](#here), [there](rules/cpu.md#there) and `nowhere`\n\n## Here\n\n", string(linked([]*sheet{front, cpu})[0]))
	require.Equal(t, "# There\n\n[here](../best-practices.md#here), [there](#there)\n\n", string(linked([]*sheet{front, cpu})[1]))
}

func TestProseOfRules(t *testing.T) {
	require.Equal(t, "numa.\\* of &lt;device> and `a*<b>` as written", prose("numa.* of <device>\n  and `a*<b>` as written"))
}
