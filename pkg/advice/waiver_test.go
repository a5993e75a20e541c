package advice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

const today advice.Date = "2026-06-10"

// waived evaluates the rules and applies the waivers of a file; an empty text means none.
func waived(t *testing.T, s *inventory.Snapshot, file string, rules ...string) *advice.Result {
	t.Helper()
	set, err := library(t).Select(advice.Selection{Rules: rules})
	require.NoError(t, err)
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
	require.NoError(t, err)
	w := library(t).Waivers(today)
	if file != "" {
		require.NoError(t, w.Parse("w.yaml", []byte("waivers:\n"+file)))
	}
	w.Apply(r, s, set)
	return r
}

func TestWaivers(t *testing.T) {
	const because = ", reason: known, until: 2026-06-10}\n"
	const accepted = "accepted until 2026-06-10: known"
	for name, c := range map[string]struct {
		file     string
		mark     func(vm *inventory.VM)
		waived   bool
		reason   string
		warnings []string
	}{
		"by name, on its last day":     {file: "- {rule: cpu-limit, object: web-01" + because, waived: true, reason: accepted},
		"by pattern":                   {file: "- {rule: cpu-*, object: WEB*" + because, waived: true, reason: accepted},
		"by path":                      {file: "- {rule: '*', object: /dc/vm/*" + because, waived: true, reason: accepted},
		"with an owner":                {file: "- {rule: cpu-limit, object: '*', owner: ops" + because, waived: true, reason: "accepted until 2026-06-10 by ops: known"},
		"another rule, not selected":   {file: "- {rule: numa-io, object: web-01" + because},
		"another object, not in scope": {file: "- {rule: cpu-limit, object: web-99" + because},
		"a host is no VM":              {file: "- {rule: cpu-limit, object: host01" + because},
		"by tag":                       {file: "- {rule: cpu-limit, tag: Tier/gold" + because, mark: func(vm *inventory.VM) { tag(&vm.Entity, "tier/gold") }, waived: true, reason: accepted},
		"by tag of any category":       {file: "- {rule: cpu-limit, tag: gold" + because, mark: func(vm *inventory.VM) { tag(&vm.Entity, "tier/gold") }, waived: true, reason: accepted},
		"by name and another's tag":    {file: "- {rule: cpu-limit, object: web-01, tag: tier/gold" + because},
		"two, the first counts":        {file: "- {rule: cpu-limit, object: web-01, owner: a" + because + "- {rule: cpu-*, object: web-01, owner: b" + because, waived: true, reason: "accepted until 2026-06-10 by a: known"},
		"tags were not read": {
			file: "- {rule: cpu-limit, tag: tier/gold" + because, mark: func(vm *inventory.VM) { vm.Tags = inventory.Unread[[]string]("no permission") },
			warnings: []string{"the waiver of cpu-limit for tag tier/gold (w.yaml:2) selects by tag, but the tags of vm web-01 were not read: it does not apply there"},
		},
		"neither tags nor limit were read": {
			file: "- {rule: cpu-limit, tag: tier/gold" + because, mark: func(vm *inventory.VM) {
				vm.Tags, vm.CPULimitMHz = inventory.Fact[[]string]{}, inventory.Fact[int64]{}
			},
		},
		"a tag's category was not read": {
			file: "- {rule: cpu-limit, tag: tier/gold" + because, mark: func(vm *inventory.VM) { tag(&vm.Entity, "gold") },
			warnings: []string{"the waiver of cpu-limit for tag tier/gold (w.yaml:2) selects by tag, but the tags of vm web-01 were not read: it does not apply there"},
		},
		"nothing fails": {
			file: "- {rule: cpu-limit, object: web-01" + because, mark: func(vm *inventory.VM) { vm.CPULimitMHz = inventory.Known(int64(inventory.NoLimit)) },
			warnings: []string{"the waiver of cpu-limit for web-01 (w.yaml:2) is not needed: no finding that it waives fails"},
		},
		"unknown outcome": {
			file: "- {rule: cpu-limit, object: web-01" + because, mark: func(vm *inventory.VM) { vm.CPULimitMHz = inventory.Unread[int64]("no permission") },
		},
		"its own attribute": {
			mark: func(vm *inventory.VM) {
				attribute(&vm.Entity, "vperf.waive", " numa-io until 2027-01-31 x ; cpu-limit UNTIL 2027-01-31 a  good reason;")
			},
			waived: true, reason: "accepted until 2027-01-31: a good reason",
		},
		"its own attribute, not needed": {
			mark: func(vm *inventory.VM) {
				attribute(&vm.Entity, "vperf.waive", "cpu-* until 2027-01-31 x")
				vm.CPULimitMHz = inventory.Known(int64(inventory.NoLimit))
			},
			warnings: []string{"the waiver of cpu-* for vm web-01 (custom attribute vperf.waive) is not needed: no finding that it waives fails"},
		},
		"mistakes in its attribute": {
			mark: func(vm *inventory.VM) {
				attribute(&vm.Entity, "vperf.waive", "cpu-limits until 2027-01-31 x; cpu-limit until 31.1.2027 x; cpu-limit")
			},
			warnings: []string{
				`custom attribute vperf.waive has the waiver "cpu-limits until 2027-01-31 x", which is not valid: no rule "cpu-limits" (did you mean "cpu-limit"?) (on vm web-01)`,
				`custom attribute vperf.waive has the waiver "cpu-limit until 31.1.2027 x", which is not valid: "31.1.2027" is not a date: write YYYY-MM-DD, such as 2027-01-31 (on vm web-01)`,
				`custom attribute vperf.waive has the waiver "cpu-limit", which is not valid: write RULE until YYYY-MM-DD REASON; separate several with semicolons (on vm web-01)`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, vm, s := marked()
			if c.mark != nil {
				c.mark(vm)
			}
			r := waived(t, s, c.file, "cpu-limit")
			require.Equal(t, c.warnings, r.Warnings)
			if !c.waived {
				require.Zero(t, r.Counts[advice.Waived])
				return
			}
			f := r.Findings[0]
			require.Equal(t, advice.Waived, f.Outcome)
			require.Equal(t, c.reason, f.Reason)
			require.NotNil(t, f.Waiver)
			require.NotEmpty(t, f.Evidence, "a waived finding is still shown")
			require.Zero(t, r.Counts[advice.Fail])
			require.Equal(t, 1, r.Counts[advice.Waived])
			require.False(t, r.Worst(advice.Info), "no gate closes on it")
		})
	}
}

// TestWaiverGap: a fail says which unread fact may hold a waiver for it.
func TestWaiverGap(t *testing.T) {
	const byTag = "- {rule: cpu-limit, tag: tier/gold, reason: known, until: 2026-06-10}\n"
	unread := inventory.Unread[map[string]string]("no permission")
	for name, c := range map[string]struct {
		file string
		mark func(vm *inventory.VM)
		want string
	}{
		"all was read":              {byTag, func(*inventory.VM) {}, ""},
		"attributes":                {"", func(vm *inventory.VM) { vm.Attributes = unread }, "VM.attributes"},
		"attributes of a waived":    {"- {rule: cpu-limit, object: web-01, reason: known, until: 2026-06-10}\n", func(vm *inventory.VM) { vm.Attributes = unread }, ""},
		"tags":                      {byTag, func(vm *inventory.VM) { vm.Tags = inventory.Unread[[]string]("no permission") }, "VM.tags"},
		"tags, and none needs them": {"", func(vm *inventory.VM) { vm.Tags = inventory.Unread[[]string]("no permission") }, ""},
		"tags, and it has ended": {
			"- {rule: cpu-limit, tag: tier/gold, reason: known, until: 2026-06-09}\n",
			func(vm *inventory.VM) { vm.Tags = inventory.Unread[[]string]("no permission") }, "",
		},
	} {
		_, _, vm, s := marked()
		attribute(&vm.Entity, "x", "y")
		c.mark(vm)
		f := waived(t, s, c.file, "cpu-limit").Findings[0]
		g, unchecked := f.WaiverGap()
		require.Equal(t, c.want != "", unchecked, name)
		if unchecked {
			require.Equal(t, c.want, g.Fact, name)
			require.Equal(t, "no permission", g.Reason, name)
		}
	}
}

func TestAnEndedWaiverBringsTheFindingBack(t *testing.T) {
	_, _, _, s := marked()
	const file = "- {rule: cpu-limit, object: web-01, reason: x, until: 2026-06-09}\n"
	r := waived(t, s, file, "cpu-limit")
	require.Equal(t, advice.Fail, r.Findings[0].Outcome)
	require.Contains(t, r.Findings[0].Notes, "The waiver for this (w.yaml:2) ended on 2026-06-09.")
	require.True(t, r.Worst(advice.Medium))
	require.Equal(t, []string{"the waiver of cpu-limit for web-01 (w.yaml:2) ended on 2026-06-09: 1 finding is back"}, r.Warnings)

	r = waived(t, s, file+"- {rule: cpu-limit, object: web-01, reason: y, until: 2026-06-10}\n", "cpu-limit")
	require.Equal(t, "accepted until 2026-06-10: y", r.Findings[0].Reason, "another one holds")
	require.Empty(t, r.Warnings)
}

func TestAWaiverForNothingThereIsFoundOut(t *testing.T) {
	const because = ", reason: known, until: 2026-06-10}\n"
	for name, c := range map[string]struct {
		file    string
		part    bool
		noTags  bool
		warning string
	}{
		"a typo":                     {file: "- {rule: cpu-limit, object: wbe-01" + because, warning: "the waiver of cpu-limit for wbe-01 (w.yaml:2) matches no object of vc"},
		"an object of another scope": {file: "- {rule: cpu-limit, object: host01" + because, warning: "the waiver of cpu-limit for host01 (w.yaml:2) matches no object of vc"},
		"a tag without objects":      {file: "- {rule: cpu-limit, tag: gold" + because, warning: "the waiver of cpu-limit for tag gold (w.yaml:2) matches no object of vc"},
		"tags were not read":         {file: "- {rule: cpu-limit, tag: gold" + because, noTags: true},
		"a part was asked for":       {file: "- {rule: cpu-limit, object: wbe-01" + because, part: true},
		"its rule was not run":       {file: "- {rule: numa-io, object: wbe-01" + because},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, vm, s := marked()
			s.VCenters[0].Name, s.VCenters[0].Whole = "vc", !c.part
			vm.CPULimitMHz = inventory.Known(int64(inventory.NoLimit))
			if c.noTags {
				vm.Tags = inventory.Unread[[]string]("no permission")
			}
			r := waived(t, s, c.file, "cpu-limit")
			require.Equal(t, c.warning, strings.Join(r.Warnings, "; "))
		})
	}
}

func TestAWaiverOfAnObjectIsOneOfItsDevices(t *testing.T) {
	for _, c := range []struct {
		file string
		want int
	}{
		{"- {rule: vnic-vmxnet3, object: web-01, reason: x, until: 2027-01-01}\n", 1},
		{"- {rule: vnic-vmxnet3, object: 'web-01/Network adapter 1', reason: x, until: 2027-01-01}\n", 1},
		{"- {rule: vnic-vmxnet3, object: 'web-01/Network adapter 2', reason: x, until: 2027-01-01}\n", 0},
	} {
		_, _, _, s := marked()
		require.Equal(t, c.want, waived(t, s, c.file, "vnic-vmxnet3").Counts[advice.Waived], c.file)
	}
	_, _, vm, s := marked()
	attribute(&vm.Entity, "vperf.waive", "vnic-vmxnet3 until 2027-01-01 x")
	require.Equal(t, 1, waived(t, s, "", "vnic-vmxnet3").Counts[advice.Waived])
}

func TestAnObjectWaivesForItselfAlone(t *testing.T) {
	s, web01, web03 := twoVMs()
	attribute(&web01.Entity, "vperf.waive", "vnic-vmxnet3 until 2027-01-01 x; numa-io until 2027-01-01 x; cpu-* until 2027-01-01 x")
	web01.CPULimitMHz = inventory.Known(int64(inventory.NoLimit))
	r := waived(t, s, "", "vnic-vmxnet3", "cpu-limit")
	require.Equal(t, map[advice.Outcome]int{advice.Fail: 2, advice.Waived: 1, advice.Pass: 1}, r.Counts)
	for _, f := range r.Findings {
		require.Equal(t, f.Outcome == advice.Fail, strings.HasPrefix(f.Object.Name, web03.Name))
	}
	require.Equal(t, []string{"the waiver of cpu-* for vm web-01 (custom attribute vperf.waive) is not needed: no finding that it waives fails"}, r.Warnings,
		"once, though rules look at the VM and at its adapters")
}

func TestWaivedFindingsKeepTheirPlace(t *testing.T) {
	_, _, _, s := marked()
	r := waived(t, s, "- {rule: cpu-limit, object: '*', reason: x, until: 2027-01-01}\n", "cpu-limit", "vnic-vmxnet3")
	require.Equal(t, "vnic-vmxnet3", r.Findings[0].Rule.ID, "fails come first, however mild")
	require.Equal(t, advice.Waived, r.Findings[1].Outcome)
}

func TestNeedsOfWaivers(t *testing.T) {
	set, err := library(t).Select(advice.Selection{Rules: []string{"rss"}})
	require.NoError(t, err)
	w := library(t).Waivers(today)
	require.Equal(t, []string{"Host.attributes"}, w.Needs(set).Facts())
	require.NoError(t, w.Parse("w.yaml", []byte("waivers: [{rule: rss, tag: gold, reason: x, until: 2027-01-01}]")))
	require.Equal(t, []string{"Host.attributes", "Host.tags"}, w.Needs(set).Facts())
}

// TestMistakesInWaivers: all errors are reported at once, each with its position and a suggestion.
func TestMistakesInWaivers(t *testing.T) {
	const good = "- rule: cpu-limit\n  object: a\n  reason: x\n  until: 2027-01-01\n"
	for name, c := range map[string]struct{ text, want string }{
		"rule":              {"waivers:\n- {rule: cpu-limits, object: a, reason: x, until: 2027-01-01}\n", `w.yaml:2:10: no rule "cpu-limits" (did you mean "cpu-limit"?)`},
		"pattern of rules":  {"waivers:\n- {rule: gpu-*, object: a, reason: x, until: 2027-01-01}\n", `w.yaml:2:10: no rule id matches "gpu-*"`},
		"no date":           {"waivers:\n- {rule: lro, object: a, reason: x, until: never}\n", `w.yaml:2:44: until "never" is not a date: write YYYY-MM-DD, such as 2027-01-31`},
		"no such day":       {"waivers:\n- {rule: lro, object: a, reason: x, until: 2027-02-30}\n", `w.yaml:2:44: until "2027-02-30" is not a date: write YYYY-MM-DD, such as 2027-01-31`},
		"field":             {"waivers:\n" + good + "  unti: 2027-01-01\n", `w.yaml:6:3: no field "unti" here (did you mean "until"?); there are rule, object, tag, reason, owner, until`},
		"twice":             {"waivers:\n" + good + "  rule: lro\n", `w.yaml:6:3: rule is duplicated`},
		"shape":             {"waivers:\n- lro\n", `w.yaml:2:3: write a map here, not one value`},
		"no list":           {"waivers: {}\n", `w.yaml:1:10: write a list here, not a map`},
		"a list":            {good, `w.yaml:1:1: write a map here, not a list`},
		"no waivers":        {"schema: vperf.waivers/v1\n", `w.yaml:1:1: field waivers is missing: a list of accepted findings with reason and end date`},
		"schema":            {"schema: vperf.waivers/v2\nwaivers: []\n", `w.yaml:1:9: schema "vperf.waivers/v2": write vperf.waivers/v1`},
		"empty":             {"", `w.yaml:1:1: the file is empty`},
		"no YAML":           {"waivers: [\n", `w.yaml:1:1: did not find expected node content`},
		"alias":             {"waivers:\n- {rule: lro, object: &a x, reason: *a, until: 2027-01-01}\n", `w.yaml:2:37: anchors and aliases are not used here: write the value out`},
		"reason of nothing": {"waivers:\n- {rule: lro, object: a, reason: ' ', until: 2027-01-01}\n", `w.yaml:2:34: reason " ": write the reason for the waiver`},
		"all that is mandatory": {"waivers:\n- {owner: me}\n", `w.yaml:2:3: field rule is missing: a rule's id, or a pattern of ids such as numa-*
w.yaml:2:3: field object is missing: a pattern of names or inventory paths (* is every object), or tag: CATEGORY/NAME
w.yaml:2:3: field reason is missing: the reason for the waiver
w.yaml:2:3: field until is missing: the last day of the waiver, such as 2027-01-31`},
		"in several entries": {"waivers:\n- {rule: lor, object: a, reason: x, until: 2027-01-01}\n- {rule: lro, object: a, until: 2027-01-01}\n",
			"w.yaml:2:10: no rule \"lor\" (did you mean \"lro\"?)\nw.yaml:3:3: field reason is missing: the reason for the waiver"},
	} {
		t.Run(name, func(t *testing.T) {
			err := library(t).Waivers(today).Parse("w.yaml", []byte(c.text))
			var bad strictyaml.Errors
			require.ErrorAs(t, err, &bad)
			require.Equal(t, c.want, err.Error())
		})
	}
	require.NoError(t, library(t).Waivers(today).Parse("w.yaml", []byte("schema: vperf.waivers/v1\nwaivers:\n"+good+"  owner: me\n  tag: a/b\n")))
}

func TestDates(t *testing.T) {
	zone := time.FixedZone("far east", 14*3600)
	require.Equal(t, advice.Date("2026-06-11"), advice.DateOf(time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC).In(zone)), "the day is the reader's")
	_, err := advice.ParseDate("2026-6-1")
	require.Error(t, err, "dates compare as text")
}
