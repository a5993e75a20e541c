package advice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/inventory"
)

// beside are a symptom, possible faults near it, and further diagnoses of it.
var beside = map[string]string{
	"ready": ready, "limited": limited, "old": old, "crowded": crowded,
	"last":   because("last", "vm.vcpus > 1"),
	"middle": because("middle", "vm.vcpus > 2", "follows: [first]"),
	"first":  because("first", "vm.vcpus > 3", "follows: [it]"),
	"fine":   because("fine", "vm.vcpus > 4", "verdict: harmless"),
}

// loaded loads and compiles a rule together with the symptom and the rules near it.
func loaded(text string) error {
	files := fstest.MapFS{"d.yaml": {Data: []byte(text)}}
	for name, text := range beside {
		files[name+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	l, err := advice.Load(advice.Source{FS: files, User: true})
	if err != nil {
		return err
	}
	_, err = l.Select(advice.Selection{Diagnoses: true})
	return err
}

// TestMistakesOfDiagnoses: references of diagnoses are checked when rules are loaded, with a position and a suggestion.
func TestMistakesOfDiagnoses(t *testing.T) {
	good := because("it", `findings["limited"]`, "fixes: [limited]", "examples:", `  - {name: a, facts: {}, findings: {limited: fail}, expect: fail}`)
	require.NoError(t, loaded(good))
	change := func(old, with string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, with, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"symptom that is none":       {change("[ready]", "[reddy]"), `d.yaml:6:12: no rule "reddy" (did you mean "ready"?)`},
		"one of several":             {change("[ready]", "[ready, reddy]"), `d.yaml:6:19: no rule "reddy"`},
		"twice":                      {change("[ready]", "[ready, ready]"), "d.yaml:6:12: ready is listed twice"},
		"a rule of settings":         {change("[ready]", "[limited]"), "d.yaml:6:12: limited reads no live counter"},
		"itself":                     {change("[ready]", "[it]"), "d.yaml:6:12: it is a diagnosis: explains must list"},
		"a symptom of others":        {change("scope: vm", "scope: host"), "d.yaml:6:12: ready evaluates each vm, this rule each host"},
		"explains nothing":           {change("[ready]", "[]"), "d.yaml:6:11: explains is empty"},
		"no explains":                {change("explains: [ready]\n", ""), "d.yaml:1:1: field explains is missing"},
		"fix that is none":           {change("fixes: [limited]", "fixes: [limitd]"), `d.yaml:9:9: no rule "limitd" (did you mean "limited"?)`},
		"fix that is a diagnosis":    {change("fixes: [limited]", "fixes: [it]"), "d.yaml:9:9: it is a diagnosis, which is evaluated after all other rules"},
		"asks for nothing":           {change(`findings["limited"]'`, `findings["limted"]'`), `d.yaml:8:21: no rule "limted" (did you mean "limited"?)`},
		"asks in a block":            {change(`because: 'findings["limited"]'`, "because: |-\n  vm.vcpus > 1 &&\n    findings[\"limted\"]"), `d.yaml:10:15: no rule "limted"`},
		"asks in evidence":           {change("fixes: [limited]", `evidence: {a: 'findings["limted"]'}`), `d.yaml:9:26: no rule "limted"`},
		"asks in a second evidence":  {change("fixes: [limited]", `evidence: {a: vm.vcpus, b: 'findings["limted"]'}`), `d.yaml:9:39: no rule "limted"`},
		"asks in applies":            {good + `applies: 'findings["limted"]'` + "\n", `d.yaml:12:21: no rule "limted"`},
		"asks in a second note":      {good + `notes: [{text: a}, {when: 'findings["limted"]', text: b}]` + "\n", `d.yaml:12:38: no rule "limted"`},
		"asks in a second benefit":   {good + `benefit: [{text: a}, {text: b, holds: 'findings["limted"]'}]` + "\n", `d.yaml:12:50: no rule "limted"`},
		"asks in a second case":      {good + `cases: [{when: 'vm.vcpus > 1', severity: low}, {when: 'findings["limted"]', severity: low}]` + "\n", `d.yaml:12:66: no rule "limted"`},
		"asks for a second one":      {change(`findings["limited"]'`, `findings["limited"] && findings["limted"]'`), `d.yaml:8:44: no rule "limted"`},
		"second fix that is none":    {change("fixes: [limited]", "fixes: [limited, limitd]"), `d.yaml:9:18: no rule "limitd"`},
		"asks for a diagnosis":       {change(`findings["limited"]'`, `findings["it"]'`), `d.yaml:8:21: it is a diagnosis, which is evaluated after all other rules`},
		"reads a computed id":        {change(`findings["limited"]'`, `findings["lim" + "ited"]'`), `d.yaml:8:11: write findings["RULE"], with the rule's id in quotes`},
		"asks in raw quotes":         {because("it", `vm.vcpus > 1 && findings[r"limited"]`), `d.yaml:8:27: write findings["RULE"], with the rule's id in quotes`},
		"asks in three quotes":       {because("it", `findings["""limited"""]`), `d.yaml:8:11: write findings["RULE"]`},
		"asks with spaces":           {change(`findings["limited"]'`, `findings [ "limited" ]'`), ""},
		"asks for a field":           {change(`findings["limited"]'`, `findings.limited'`), `write findings["RULE"]`},
		"asks for all":               {change(`findings["limited"]'`, `findings.exists(f, f == "limited")'`), `write findings["RULE"]`},
		"asks whether it is there":   {change(`findings["limited"]'`, `"limited" in findings'`), `write findings["RULE"]`},
		"example of another":         {change("{limited: fail}", "{limted: fail}"), `d.yaml:11:37: no expression of this rule has findings["limted"] (did you mean "limited"?)`},
		"second example of another":  {good + "  - {name: b, facts: {}, findings: {limited: fail, limted: fail}, expect: fail}\n", `d.yaml:12:52: no expression of this rule has findings["limted"]`},
		"second example's outcome":   {good + "  - {name: b, facts: {}, findings: {limited: fails}, expect: fail}\n", `d.yaml:12:46: no outcome "fails"`},
		"scope of no kind":           {change("scope: vm", "scope: vms"), `no scope "vms" (did you mean "vm"?)`},
		"example's outcome":          {change("{limited: fail}", "{limited: fails}"), `d.yaml:11:46: no outcome "fails" (did you mean "fail"?)`},
		"follows nothing":            {good + "follows: [its]\n", `d.yaml:12:11: no rule "its" (did you mean "it"?)`},
		"follows a symptom":          {good + "follows: [ready]\n", "d.yaml:12:11: ready is not a diagnosis"},
		"follows itself":             {good + "follows: [it]\n", "d.yaml:12:11: it follows this rule, directly or indirectly"},
		"follows a harmless one":     {good + "follows: [fine]\n", "d.yaml:12:11: fine reports no fault"},
		"follows twice":              {good + "follows: [last, last]\n", "d.yaml:12:11: last is listed twice"},
		"follows in a ring":          {good + "follows: [last, middle]\n", "d.yaml:12:17: middle follows this rule, directly or indirectly"},
		"follows, and is harmless":   {change("fixes: [limited]", "verdict: harmless") + "follows: [last]\n", "d.yaml:12:10: with verdict harmless no change is needed"},
		"follows another":            {good + "follows: [last]\n", ""},
		"only without fixes":         {change("fixes: [limited]", "only: true"), "d.yaml:9:7: only needs fixes"},
		"only, and is harmless":      {change("fixes: [limited]", "verdict: harmless") + "only: false\n", "d.yaml:12:7: with verdict harmless no change is needed"},
		"category":                   {change("category: diagnosis", "category: cpu"), "d.yaml:3:11: a rule with explains must have category diagnosis"},
		"no because":                 {change("because: 'findings[\"limited\"]'\n", ""), "field because is missing"},
		"want too":                   {good + "want: vm.vcpus > 1\n", "d.yaml:12:7: want is not valid in a diagnosis"},
		"manual too":                 {good + "manual: Look.\n", "d.yaml:12:9: manual is not valid in a diagnosis"},
		"remedy too":                 {good + "remedy:\n  - {set: vm-cpu-limit, to: -1}\n", "remedy is not valid in a diagnosis"},
		"lost too":                   {good + "lost: '1.0'\n", "d.yaml:12:7: lost belongs to the symptom"},
		"verdict":                    {good + "verdict: harmles\n", `d.yaml:12:10: no verdict "harmles" (did you mean "harmless"?)`},
		"effort":                     {good + "effort: lwo\n", `d.yaml:12:9: no effort "lwo" (did you mean "low"?)`},
		"harmless with fixes":        {good + "verdict: harmless\n", "d.yaml:9:8: with verdict harmless no change is needed"},
		"place of no kind":           {good + "at: hots\n", `d.yaml:12:5: no scope "hots" (did you mean "host"?)`},
		"place out of reach":         {change("scope: vm", "scope: datastore") + "at: vm\n", "the cause of a datastore's symptoms must be on one of vcenter, datastore, not on a vm"},
		"place of a device":          {good + "at: vmknic\n", ""},
		"lost of settings":           {strings.Replace(limited, "id: limited", "id: it", 1) + "lost: '1.0'\n", "lost is only for rules over live counters: this rule reads none"},
		"holds is no condition":      {strings.Replace(ready, "id: ready", "id: it", 1) + "applies: 'true'\nbenefit: [{text: t, holds: vm.vcpus}]\n", "this must be a bool, not a int"},
		"lost is text":               {strings.Replace(strings.Replace(ready, "id: ready", "id: it", 1), `lost: vm.live("cpu.ready").mean / 100.0`, "lost: vm.name", 1), "this must be a double, not a string"},
		"an ordinary one asks":       {strings.Replace(limited, "id: limited", "id: it", 1) + "applies: findings[\"old\"]\n", "only a diagnosis, which has explains, can read the outcomes of other rules"},
		"an ordinary one asks amiss": {strings.Replace(limited, "id: limited", "id: it", 1) + "applies: findings[\"odl\"]\n", "only a diagnosis, which has explains, can read the outcomes of other rules"},
		"an ordinary second example": {strings.Replace(old, "id: old", "id: it", 1) + "examples:\n  - {name: a, facts: {}, expect: fail}\n  - {name: b, facts: {}, findings: {limited: fail}, expect: fail}\n", "findings is only for diagnoses"},
		"an ordinary one's example":  {strings.Replace(old, "id: old", "id: it", 1) + "examples:\n  - {name: a, facts: {}, findings: {limited: fail}, expect: fail}\n", "findings is only for diagnoses"},
		"an ordinary one explains":   {strings.Replace(old, "id: old", "id: it", 1) + "order: 3\n", "order is only for diagnoses: list the symptoms in explains"},
		"an ordinary diagnosis":      {strings.Replace(strings.Replace(old, "id: old", "id: it", 1), "network", "diagnosis", 1), "field explains is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			err := loaded(c.text)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestAMistakeInTheScopeIsOne: an error in the scope is one error; errors that follow from it are not reported.
func TestAMistakeInTheScopeIsOne(t *testing.T) {
	err := loaded(strings.Replace(because("it", `findings["limited"]`, "fixes: [limited]", "at: host"), "scope: vm", "scope: vms", 1))
	require.ErrorContains(t, err, `no scope "vms"`)
	require.NotContains(t, err.Error(), "\n")
}

// TestNeedsOfWhatADiagnosisReaches: the facts that connect an object to those that its diagnosis reads, or to the
// object of the cause, are needed, and no others.
func TestNeedsOfWhatADiagnosisReaches(t *testing.T) {
	ties := []string{
		"VM.hostId", "Host.clusterId", "VM.poolId", "Pool.parentId", "Switch.hostIds", "Datastore.hostIds", "Datastore.extents", "VM.disks", "VDisk.datastoreId",
	}
	const host, cluster, pool, store = "VM.hostId", "Host.clusterId", "VM.poolId", "Datastore.extents"
	for name, c := range map[string]struct {
		from  inventory.Scope
		asked []inventory.Scope
		at    inventory.Scope
		want  []string
	}{
		"nothing":                  {from: inventory.ScopeVM},
		"the VM":                   {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopeVM}},
		"its host":                 {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopeHost}, want: []string{host}},
		"a device of its host":     {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopePNIC}, want: []string{host}},
		"its cluster":              {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopeCluster}, want: []string{host, cluster}},
		"its pools":                {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopePool}, want: []string{pool, "Pool.parentId"}},
		"where its disks are":      {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopeDatastore}, want: []string{"Datastore.hostIds", store, "VM.disks", "VDisk.datastoreId"}},
		"two of them":              {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopeVM, inventory.ScopePool}, want: []string{pool, "Pool.parentId"}},
		"a LUN":                    {from: inventory.ScopeLUN, asked: []inventory.Scope{inventory.ScopeLUN}},
		"a cause at its host":      {from: inventory.ScopeVM, at: inventory.ScopeHost, want: []string{host}},
		"a cause at a NIC":         {from: inventory.ScopeVM, at: inventory.ScopePNIC, want: []string{host}},
		"a cause at its pool":      {from: inventory.ScopeVM, at: inventory.ScopePool, want: []string{pool, "Pool.parentId"}},
		"a cause at its datastore": {from: inventory.ScopeVM, at: inventory.ScopeDatastore, want: []string{"Datastore.hostIds", store, "VM.disks", "VDisk.datastoreId"}},
		"a cause at its cluster":   {from: inventory.ScopeVM, at: inventory.ScopeCluster, want: []string{host, cluster}},
		"the switches of its host": {from: inventory.ScopeVM, asked: []inventory.Scope{inventory.ScopeSwitch}, want: []string{host, "Switch.hostIds"}},
	} {
		t.Run(name, func(t *testing.T) {
			metric := map[inventory.Scope]string{inventory.ScopeVM: "cpu.vmWait", inventory.ScopeLUN: "disk.queued"}[c.from]
			texts := []string{symptomOf("bad", string(c.from), metric)}
			conditions, more := []string{"true"}, []string{}
			for _, about := range c.asked {
				id := "asked-" + string(about)
				texts = append(texts, fmt.Sprintf("id: %s\ntitle: T\ncategory: cpu\nscope: %s\nseverity: low\nwant: 'true'\nwhy: W.\n", id, about))
				conditions = append(conditions, fmt.Sprintf("findings[%q]", id))
			}
			if c.at != "" {
				more = append(more, "at: "+string(c.at))
			}
			texts = append(texts, causeOf("it", "bad", string(c.from), strings.Join(conditions, " && "), more...))
			set := rulesOf(t, advice.Selection{Diagnoses: true}, texts...)
			needs := set.Needs(advice.Options{Profile: advice.ProfileGeneral})
			plain := rulesOf(t, advice.Selection{}, texts...).Needs(advice.Options{Profile: advice.ProfileGeneral})
			var got []string
			for _, fact := range ties {
				if needs.Any(fact) && !plain.Any(fact) {
					got = append(got, fact)
				}
			}
			want := slices.DeleteFunc(slices.Clone(c.want), func(fact string) bool { return plain.Any(fact) })
			require.ElementsMatch(t, want, got)
		})
	}
}

// TestDiagnosesAskForWhatTheyCanReach: a reference to a rule whose outcome would always be unknown is refused.
func TestDiagnosesAskForWhatTheyCanReach(t *testing.T) {
	text := strings.NewReplacer("scope: vm", "scope: datastore", "[ready]", "[slow]").Replace(because("it", `findings["limited"]`))
	files := fstest.MapFS{
		"it.yaml": {Data: []byte(text)}, "limited.yaml": {Data: []byte(limited)},
		"slow.yaml": {Data: []byte("id: slow\ntitle: T\ncategory: monitoring\nscope: datastore\nseverity: low\nwant: datastore.live(\"disk.x\").p95 < 1.0\nwhy: W.\n")},
	}
	_, err := advice.Load(advice.Source{FS: files, User: true})
	require.ErrorContains(t, err, "it.yaml:8:21: limited evaluates each vm, which is neither a datastore, nor a part of it, nor an object it belongs to")
}

// TestOneBrokenFileIsOneMistake: an unreadable file does not make every reference to its rule an error.
func TestOneBrokenFileIsOneMistake(t *testing.T) {
	_, err := advice.Load(advice.Source{FS: fstest.MapFS{
		"a.yaml": {Data: []byte("id: [\n")}, "b.yaml": {Data: []byte(because("it", "true"))},
	}, User: true})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "no rule")
}

// TestWhatDiagnosesLack: missing parts of a diagnosis are reported to its author.
func TestWhatDiagnosesLack(t *testing.T) {
	lacks := func(text string) []string {
		l, err := advice.Load(advice.Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(text)}, "b.yaml": {Data: []byte(ready)}}, User: true})
		require.NoError(t, err)
		var all []string
		for _, p := range ruletool.Missing(l.Rules()[0]) {
			all = append(all, p.Message)
		}
		return all
	}
	rest := "evidence: {a: vm.vcpus}\nsources: [x]\nexamples:\n  - {name: a, facts: {vm: {}}, expect: fail}\n  - {name: a, facts: {}, expect: pass}\n  - {name: a, facts: {}, expect: unknown}\n"
	change := "tradeoff: T.\nbenefit: [{text: No published measurement}]\n"
	require.Equal(t, []string{
		"the rule has no tradeoff: the cost of the change",
		"the rule has no benefit: the measured benefit of the change, or text: No published measurement",
		"the rule has no action: the manual fix, or fixes: the rules whose remedies help",
	}, lacks(because("a", "vm.vcpus > 1", rest)))
	require.Equal(t, []string{"the rule has no effort: how much work the action is"}, lacks(because("a", "vm.vcpus > 1", "action: Do it.", change+rest)))
	require.Empty(t, lacks(because("a", "vm.vcpus > 1", "action: Do it.", "effort: low", change+rest)))
	require.Empty(t, lacks(because("a", "vm.vcpus > 1", "verdict: harmless", rest)), "without a change there is no cost and no benefit")
}
