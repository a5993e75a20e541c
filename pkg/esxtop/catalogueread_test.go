package esxtop

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const madeUp = `

id: cpu.madeUp
about: A figure that no host has.
objects: group, world
kind: rate
unit: 1/s
rate: VCPU.NumOfWakeups
perf: cpu.madeUp.summation from sum of the interval
column: MADEUP/s
screen: cG
counter: Made Up/sec
batch: Group Cpu, Vcpu, default
series: cpu_made_up
warn: above 5
critical: 10
word: made up
action: Look at nothing.
source: this test
live: cpu.madeUp
fact: vm cpu.madeUp
`

// TestOneEntry: one entry of the catalogue is enough for a counter on the screen, in the batch CSV, in Prometheus, in
// rules, in the PerformanceManager's lookup and in the docs.
func TestOneEntry(t *testing.T) {
	texts := chapters()
	texts[1] += madeUp
	c, err := loadCatalogue(texts, panelEntries)
	require.NoError(t, err)
	old := catalogue
	catalogue = c
	t.Cleanup(func() { catalogue = old })
	m := Lookup("cpu.madeUp")

	column := PanelOf('c').Field('G').Columns
	require.Equal(t, Column{Label: "MADEUP/s", Metric: m, Decimals: 2}, column[len(column)-1])
	require.Equal(t, "esxi_vm_cpu_made_up_total", m.PrometheusName(Group))
	require.Equal(t, "A figure that no host has. (esxtop MADEUP/s; Δ VCPU.NumOfWakeups / Δt; cpu.madeUp.summation)", m.Help())
	require.Equal(t, []Perf{{Counter: "cpu.madeUp.summation", As: perInterval}}, m.Perf)
	require.Equal(t, Performance, m.Feeder(Group))
	require.Equal(t, []Fact{{Scope: "vm", Name: "cpu.madeUp"}}, m.Facts)
	require.Equal(t, []string{"cpu.madeUp"}, m.Live)
	require.Contains(t, m.Explain(), "threshold  above 5: made up; critical above 10")
	require.Contains(t, metricRow(m), "`cpu.madeUp`<br>group, world | A figure that no host has.<br>**Above 5, critical above 10: made up**.")

	before, now := richPair(t)
	frame := now.frame(before)
	vm := slices.IndexFunc(frame.Rows(Group), func(r Row) bool { return r.VM })
	require.GreaterOrEqual(t, vm, 0)
	made, ok := frame.Rows(Group)[vm].Value(m)
	require.True(t, ok, "the Esxtop service has its field")
	wakeups, _ := frame.Rows(Group)[vm].Value(Lookup("cpu.wakeups"))
	require.InDelta(t, wakeups, made, 0)
	m.Threshold.Warn = made - 1
	require.NotEqual(t, Unremarkable, m.Judge(&frame.Rows(Group)[vm]))
}

func TestCatalogueSaysWhatIsWrong(t *testing.T) {
	for wrong, want := range map[string]string{
		"kind":                   `"kind" is no key and its value`,
		"colour: red":            `key "colour" is unknown`,
		"kind: gouge":            `kind: "gouge" is none of gauge, rate, share, mean, delta, flag, text`,
		"unit: parsec":           `unit: "parsec" is no unit`,
		"objects: group, house":  `objects: "house" is no object`,
		"gauge: VMem.X in acres": `gauge: "acres" is no unit of fields`,
		"derived: guess of a":    `derived: there is no derivation "guess"`,
		"per: cpu.nothing":       "metric cpu.wrong: cpu.nothing is no metric",
		"screen: zA":             "metric cpu.wrong: no panel has a field zA",
		"screen: cZ":             "metric cpu.wrong: no panel has a field cZ",
		"screen: cG beside x.y":  "metric cpu.wrong: field cG has no column of x.y",
		"sorts: zA":              "metric cpu.wrong: no panel has a key zA to sort",
		"warn: about 5":          `warn: "about" is neither above nor below`,
		"fact: vm x as soup":     `fact: "soup" is none of is, per vCPU, KB, sum, worst`,
		"flags: odd":             `flags: "odd" is no flag`,
		"perf: a.b.c from X":     `perf: "X" is none of is, hundredths`,
		"id: cpu.ready":          `metric "cpu.ready" has no id of its own, or no objects`,
	} {
		_, err := loadCatalogue(append(chapters(), "# wrong\n\nid: cpu.wrong\nobjects: group\n"+wrong+"\n"), panelEntries)
		require.ErrorContains(t, err, want, wrong)
	}
}
