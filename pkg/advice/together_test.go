package advice

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// scene is a result built in a test: findings of rules, in any order.
type scene struct {
	snapshot *inventory.Snapshot
	result   *Result
	vms      []*inventory.VM // two on each of two hosts
	hosts    []*inventory.Host
	nics     []*inventory.PNIC // two of each host
}

func newScene() *scene {
	s := &scene{result: &Result{Findings: make([]*Finding, 0, 64), explained: map[string]bool{}}}
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
	v.ID = "uuid"
	for h := range 2 {
		var nics []*inventory.PNIC
		for n := range 2 {
			nics = append(nics, &inventory.PNIC{Device: fmt.Sprintf("nic%d%d", h, n)})
			vm := &inventory.VM{HostID: inventory.Known(fmt.Sprint("host", h)), PowerState: inventory.Known("poweredOn")}
			vm.ID, vm.Name, vm.Path = fmt.Sprintf("vm%d%d", h, n), fmt.Sprintf("vm%d%d", h, n), fmt.Sprintf("/vm%d%d", h, n)
			v.VMs = append(v.VMs, vm)
		}
		x := &inventory.Host{PNICs: inventory.Known(nics)}
		x.ID, x.Name, x.Path = fmt.Sprint("host", h), fmt.Sprint("host", h), fmt.Sprint("/host", h)
		v.Hosts, s.nics = append(v.Hosts, x), append(s.nics, nics...)
	}
	s.snapshot, s.vms, s.hosts = &inventory.Snapshot{VCenters: []*inventory.VCenter{v}}, v.VMs, v.Hosts
	s.snapshot.Link()
	return s
}

// finds adds a fail.
func (s *scene) finds(r *Rule, o inventory.Object, severity Severity) *Finding {
	s.result.Findings = append(s.result.Findings, &Finding{Evaluated: &Evaluated{Object: o.Ref(), object: o}, Rule: r, Outcome: Fail, Severity: severity})
	return s.result.Findings[len(s.result.Findings)-1]
}

// shows adds a symptom of a VM that loses so much.
func (s *scene) shows(id string, vm *inventory.VM, lost float64) *Finding {
	s.result.explained[id] = true
	f := s.finds(&Rule{ID: id}, vm, High)
	f.Lost = inventory.Known(lost)
	return f
}

// told adds the outcome of a diagnosis for the object of its symptoms.
func (s *scene) told(r *Rule, outcome Outcome, symptoms ...*Finding) *Diagnosis {
	if outcome == Pass {
		return s.ruledOut(r, symptoms[0])
	}
	f := &Finding{Evaluated: &Evaluated{Object: symptoms[0].Object, object: symptoms[0].object}, Rule: r, Outcome: outcome, Severity: r.Severity}
	d := &Diagnosis{Finding: f, Symptoms: symptoms, at: f.object, Cause: f.Object}
	s.result.Diagnoses = append(s.result.Diagnoses, d)
	return d
}

// ruledOut adds a cause that is ruled out for a symptom.
func (s *scene) ruledOut(r *Rule, symptom *Finding) *Diagnosis {
	r.Explains = []string{symptom.Rule.ID}
	i := slices.IndexFunc(s.result.shown, func(o *shown) bool { return o.object == symptom.object })
	if i < 0 {
		i, s.result.shown = len(s.result.shown), append(s.result.shown, &shown{object: symptom.object, symptoms: []*Finding{symptom}})
	}
	o := s.result.shown[i]
	o.by = &diagnosing{evaluation: &evaluation{profiles: newChooser("", nil)}}
	x := ruledOut{rule: &compiled{Rule: r, conditions: func() []part { return nil }}, of: o}
	o.ruledOut = append(o.ruledOut, x.rule)
	of := new(subject)
	o.by.subjectOf(of, symptom)
	return x.diagnosis(of)
}

func (s *scene) advise() *Advice { return Advise(s.snapshot, s.result) }

func idsOf(all []*Diagnosis) []string {
	var ids []string
	for _, d := range all {
		ids = append(ids, d.Finding.Rule.ID)
	}
	return ids
}

// TestCausesOfTheSameChanges: causes that the same changes remove are one recommendation; the one with the highest rank
// leads, and nothing of the others is lost.
func TestCausesOfTheSameChanges(t *testing.T) {
	s := newScene()
	one := s.finds(&Rule{ID: "one"}, s.hosts[0], Low)
	two := s.finds(&Rule{ID: "two"}, s.hosts[0], Low)
	little, much := s.shows("little", s.vms[0], 1), s.shows("much", s.vms[1], 9)
	a := s.told(&Rule{ID: "a", Effort: EffortLow}, Fail, little)
	b := s.told(&Rule{ID: "b", Effort: EffortHigh}, Fail, much)
	for _, id := range []string{"d", "c"} { // in one order, and the symptoms in the other
		s.told(&Rule{ID: id, Follows: []string{"a"}}, Fail, s.shows("after-"+id, s.vms[0], 2))
	}
	w := s.told(&Rule{ID: "w", Order: 9}, Fail, little)
	s.told(&Rule{ID: "v", Order: 9}, Fail, little)
	s.told(&Rule{ID: "x", Order: 9}, Fail, much)
	undecided := s.told(&Rule{ID: "dark"}, Unknown, little)
	dim := s.told(&Rule{ID: "dim"}, Unknown, much)
	undecided.Finding.Gaps, dim.Finding.Gaps = []Gap{{Fact: "dark"}}, []Gap{{Fact: "dim"}}
	b.Fixes, a.Fixes, w.Fixes = []*Finding{two, one}, []*Finding{one, two}, nil
	for _, f := range []*Finding{one, two, a.Finding, b.Finding} {
		f.Benefits = []Expected{{Benefit: Benefit{Text: f.Rule.ID}}}
	}

	all := s.advise().Recommendations
	require.Len(t, all, 1)
	r := all[0]
	require.Equal(t, "b", r.Rule.ID, "more is lost by it")
	require.Equal(t, s.hosts[0].Ref(), r.Object, "where the changes are")
	require.Equal(t, []string{"a", "b", "c", "d"}, idsOf(r.Diagnoses), "consequences come last")
	require.Equal(t, []string{"v", "w", "x"}, idsOf(r.Also))
	require.Equal(t, []*Finding{one, two}, r.Findings)
	require.Equal(t, Impact{Objects: 2, VMs: 2, Lost: inventory.Known(14.0), Share: inventory.Absent[float64]()}, r.Impact)
	require.Equal(t, EffortHigh, r.Effort)
	require.ElementsMatch(t, []Gap{{Fact: "dark"}, {Fact: "dim"}}, r.Unseen)
	var texts []string
	for _, x := range r.Benefits {
		texts = append(texts, x.Text)
	}
	require.Equal(t, []string{"a", "b", "one", "two"}, texts)
}

// TestWhatFollowsOneOfSeveralCauses: not all VMs around a cause count as affected, whichever of the causes of one
// change it is a consequence of.
func TestWhatFollowsOneOfSeveralCauses(t *testing.T) {
	s := newScene()
	fix := s.finds(&Rule{ID: "fix"}, s.nics[0], Low)
	a, b := s.told(&Rule{ID: "a"}, Fail, s.shows("much", s.vms[0], 9)), s.told(&Rule{ID: "b"}, Fail, s.shows("little", s.vms[0], 1))
	s.result.explained["whole"] = true
	s.result.explained["more"] = true
	s.told(&Rule{ID: "c", Follows: []string{"b"}}, Fail, s.finds(&Rule{ID: "whole"}, s.hosts[0], High), s.finds(&Rule{ID: "more"}, s.hosts[0], High))
	a.Fixes, b.Fixes = []*Finding{fix}, []*Finding{fix}
	b.at, b.Cause = s.nics[0], s.nics[0].Ref()
	all := s.advise().Recommendations
	require.Len(t, all, 1)
	require.Equal(t, []string{"a", "b", "c"}, idsOf(all[0].Diagnoses))
	require.Equal(t, 2, all[0].Impact.Objects)
	require.Equal(t, 1, all[0].Impact.VMs, "the host's symptom says that something there suffers, not that all of it does")
}

// TestWhereSeveralCausesLie: if several causes have one change, they are at its object; if the changes are at several
// objects, at the object of the first cause.
func TestWhereSeveralCausesLie(t *testing.T) {
	for name, c := range map[string]struct {
		fixes func(s *scene) []*Finding
		same  bool // both causes lie at one object
		want  func(s *scene) inventory.Object
	}{
		"one change":    {func(s *scene) []*Finding { return []*Finding{s.finds(&Rule{ID: "f"}, s.hosts[1], Low)} }, false, func(s *scene) inventory.Object { return s.hosts[1] }},
		"causes at one": {func(s *scene) []*Finding { return []*Finding{s.finds(&Rule{ID: "f"}, s.hosts[1], Low)} }, true, func(s *scene) inventory.Object { return s.vms[0] }},
		"changes at several": {func(s *scene) []*Finding {
			return []*Finding{s.finds(&Rule{ID: "f"}, s.hosts[0], Low), s.finds(&Rule{ID: "f"}, s.hosts[1], Low)}
		}, false, func(s *scene) inventory.Object { return s.vms[0] }},
		"at one and several": {func(s *scene) []*Finding {
			return []*Finding{s.finds(&Rule{ID: "f"}, s.hosts[0], Low), s.finds(&Rule{ID: "f"}, s.hosts[1], Low)}
		}, true, func(s *scene) inventory.Object { return s.vms[0] }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			a, b := s.told(&Rule{ID: "a"}, Fail, s.shows("x", s.vms[0], 2)), s.told(&Rule{ID: "b"}, Fail, s.shows("y", s.vms[1], 1))
			a.Fixes = c.fixes(s)
			b.Fixes = a.Fixes
			if c.same {
				b.at, b.Cause = a.at, a.Cause
			}
			all := s.advise().Recommendations
			require.Len(t, all, 1)
			require.Equal(t, c.want(s).Ref(), all[0].Object)
		})
	}
}

// TestCausesThatShareAChange: causes that share a change are one recommendation, however many other changes each of
// them needs: no change appears twice.
func TestCausesThatShareAChange(t *testing.T) {
	s := newScene()
	one, two, three := s.finds(&Rule{ID: "one"}, s.hosts[0], Low), s.finds(&Rule{ID: "two"}, s.hosts[0], Low), s.finds(&Rule{ID: "three"}, s.hosts[1], Low)
	a, b := s.told(&Rule{ID: "a"}, Fail, s.shows("x", s.vms[0], 2)), s.told(&Rule{ID: "b"}, Fail, s.shows("y", s.vms[1], 1))
	c := s.told(&Rule{ID: "c"}, Fail, s.shows("z", s.vms[1], 9))
	for _, test := range []struct{ a, b, c, want []*Finding }{
		{[]*Finding{one}, []*Finding{one, two}, nil, []*Finding{one, two}},
		{[]*Finding{one, three}, []*Finding{one, two}, nil, []*Finding{one, two, three}},
		{[]*Finding{one}, []*Finding{two}, []*Finding{one, two}, []*Finding{one, two}},
	} {
		a.Fixes, b.Fixes, c.Fixes = test.a, test.b, test.c
		all := s.advise().Recommendations
		shared := all[:1]
		if test.c == nil {
			require.Len(t, all, 2)
			require.Equal(t, "c", all[0].Rule.ID)
			shared = all[1:]
		} else {
			require.Len(t, all, 1)
			require.Equal(t, "c", all[0].Rule.ID, "it loses most")
		}
		require.ElementsMatch(t, test.want, shared[0].Findings)
	}
}

// TestCausesWithOneTask: causes at one object whose rules have the same task are one recommendation; those at other
// objects are not.
func TestCausesWithOneTask(t *testing.T) {
	s := newScene()
	full, short := &Rule{ID: "full", Task: "move-vms"}, &Rule{ID: "short", Task: "move-vms"}
	at := func(d *Diagnosis, o inventory.Object) { d.at, d.Cause = o, o.Ref() }
	at(s.told(full, Fail, s.shows("x", s.vms[0], 5)), s.hosts[0])
	at(s.told(short, Fail, s.shows("y", s.vms[0], 1)), s.hosts[0])
	at(s.told(short, Fail, s.shows("z", s.vms[1], 2)), s.hosts[1])
	all := s.advise().Recommendations
	require.Len(t, all, 2)
	require.Equal(t, []string{"full", "short"}, idsOf(all[0].Diagnoses))
	require.Equal(t, s.hosts[0].Ref(), all[0].Object)
	require.Equal(t, []string{"short"}, idsOf(all[1].Diagnoses))
}

// TestOneActionAtSeveralObjects: the same action at several objects is one recommendation with a part for each, largest
// loss first.
func TestOneActionAtSeveralObjects(t *testing.T) {
	s := newScene()
	r := &Rule{ID: "pinned"}
	little := s.told(r, Fail, s.shows("x", s.vms[0], 1))
	much := s.told(r, Fail, s.shows("y", s.vms[1], 3))
	little.Fixes, much.Fixes = []*Finding{s.finds(&Rule{ID: "f"}, s.vms[0], Low)}, []*Finding{s.finds(&Rule{ID: "f"}, s.vms[1], Low)}
	s.told(&Rule{ID: "between"}, Fail, s.shows("z", s.vms[2], 2))
	all := s.advise().Recommendations
	require.Len(t, all, 2)
	pinned := all[0]
	require.Zero(t, pinned.Object)
	require.Equal(t, []inventory.Ref{s.vms[1].Ref(), s.vms[0].Ref()}, pinned.Objects())
	require.Len(t, pinned.Parts, 2)
	lost, _ := pinned.Impact.Lost.Value()
	require.InDelta(t, 4, lost, 1e-9)
	require.Equal(t, 2, pinned.Impact.VMs)
	require.Len(t, pinned.Findings, 2)
	require.Equal(t, much.Fixes, pinned.Parts[0].Findings)
	require.Equal(t, []inventory.Ref{all[1].Object}, all[1].Objects())
}

// TestPossibleCausesRankBehindProvenOnes: a possible cause ranks behind proven ones, whatever its loss, and is named
// first only if no other cause is proven.
func TestPossibleCausesRankBehindProvenOnes(t *testing.T) {
	s := newScene()
	may := &Rule{ID: "may", Possible: true, Order: 1}
	s.told(may, Fail, s.shows("x", s.vms[0], 9))
	second := s.shows("y", s.vms[1], 1)
	s.told(may, Fail, second)
	s.told(&Rule{ID: "is", Order: 50}, Fail, second)
	all := s.advise().Recommendations
	require.Len(t, all, 2)
	require.Equal(t, "is", all[0].Rule.ID)
	require.False(t, all[0].Possible)
	require.Equal(t, []string{"may"}, idsOf(all[0].Also))
	require.Equal(t, "may", all[1].Rule.ID)
	require.True(t, all[1].Possible)
}

// A recommendation keeps the other causes that were considered for its symptoms.
func TestOtherCausesThatWereConsidered(t *testing.T) {
	s := newScene()
	symptom := s.shows("x", s.vms[0], 1)
	s.told(&Rule{ID: "is", Order: 9}, Fail, symptom)
	s.told(&Rule{ID: "is-not", Order: 2}, Pass, symptom)
	s.told(&Rule{ID: "is-not-first", Order: 1}, Pass, symptom)
	s.told(&Rule{ID: "unread", Order: 3}, Unknown, symptom)
	r := s.advise().Recommendations[0]
	require.Equal(t, []string{"is-not-first", "is-not"}, idsOf(r.RuledOut))
	require.Equal(t, []string{"unread"}, idsOf(r.Undecided))
}

// TestACauseOfSeveralObjects: a cause with symptoms at several objects is one, with all its fixes and all findings that
// its proofs name.
func TestACauseOfSeveralObjects(t *testing.T) {
	s := newScene()
	r := &Rule{ID: "r"}
	var fixes []*Finding
	for n, vm := range s.vms[:2] {
		d := s.told(r, Fail, s.shows(fmt.Sprint("x", n), vm, 1))
		d.at, d.Cause = s.hosts[0], s.hosts[0].Ref()
		fixes = append(fixes, s.finds(&Rule{ID: fmt.Sprint("fix", n)}, vm, Medium))
		d.Fixes, d.named = fixes[n:], []*Finding{fixes[n], s.finds(&Rule{ID: fmt.Sprint("named", n)}, s.hosts[1], Medium)}
	}
	all := s.advise().Recommendations
	require.Len(t, all, 1)
	require.Equal(t, fixes, all[0].Findings)
}

// TestFixesOfWhatFollows: of a consequence's fixes, only those at the cause or a part of it count that are not waived.
func TestFixesOfWhatFollows(t *testing.T) {
	s := newScene()
	found := func(id string, o inventory.Object) *Finding { return s.finds(&Rule{ID: id}, o, Low) }
	accepted := found("accepted", s.nics[0])
	accepted.Outcome = Waived
	fixes := []*Finding{
		found("elsewhere", s.nics[2]), found("whole", s.hosts[0]), found("beside", s.nics[1]), accepted, found("itself", s.nics[0]), found("vm", s.vms[0]),
	}
	first := s.told(&Rule{ID: "first"}, Fail, s.shows("x", s.vms[0], 2))
	second := s.told(&Rule{ID: "second", Follows: []string{"first"}}, Fail, s.shows("y", s.vms[1], 1))
	first.at, first.Cause, second.Fixes = s.nics[0], s.nics[0].Ref(), fixes
	named := func() []string {
		var ids []string
		for _, f := range s.advise().Recommendations[0].Findings {
			ids = append(ids, f.Rule.ID)
		}
		return ids
	}
	require.Equal(t, []string{"itself"}, named(), "of a device that itself")
	first.at, first.Cause = s.hosts[0], s.hosts[0].Ref()
	require.Equal(t, []string{"beside", "itself", "whole"}, named(), "of a host that and its devices")
}

// TestWhatMayBeTheCause: an unexplained symptom lists possible causes and those ruled out, the likeliest first.
func TestWhatMayBeTheCause(t *testing.T) {
	s := newScene()
	f := s.shows("x", s.vms[0], 2)
	other := s.shows("y", s.vms[0], 3)
	for i, outcome := range []Outcome{Unknown, Pass, Unknown, Pass} {
		s.told(&Rule{ID: fmt.Sprint("r", i), Order: 10 - i}, outcome, f)
	}
	both := s.told(&Rule{ID: "both"}, Fail, other)
	u := s.advise().Unexplained
	require.Len(t, u, 1)
	require.Equal(t, []string{"r2", "r0"}, idsOf(u[0].Possible))
	require.Equal(t, []string{"r3", "r1"}, idsOf(u[0].RuledOut))
	both.Symptoms = []*Finding{other, f} // one cause of two symptoms of an object
	a := s.advise()
	require.Empty(t, a.Unexplained)
	require.Len(t, a.Recommendations, 1)
	require.Equal(t, Impact{Objects: 1, VMs: 1, Lost: inventory.Known(5.0), Share: inventory.Absent[float64]()}, a.Recommendations[0].Impact)
}

// TestWorkByHand: the effort is the largest manual effort of the causes, as far as rules give one.
func TestWorkByHand(t *testing.T) {
	for _, c := range []struct {
		of   []Effort
		want Effort
	}{
		{nil, ""},
		{[]Effort{"", ""}, ""},
		{[]Effort{"", EffortLow}, EffortLow},
		{[]Effort{EffortLow, ""}, EffortLow},
		{[]Effort{EffortHigh, EffortLow}, EffortHigh},
		{[]Effort{EffortLow, EffortMedium}, EffortMedium},
	} {
		var causes []*Diagnosis
		for _, e := range c.of {
			causes = append(causes, &Diagnosis{Finding: &Finding{Rule: &Rule{Effort: e}}})
		}
		require.Equal(t, c.want, manualEffort(causes), "%q", c.of)
	}
}

func TestTheWorstOfSeveral(t *testing.T) {
	require.Equal(t, Info, worst(nil))
	require.Equal(t, High, worst([]*Finding{{Severity: Low}, {Severity: High}, {Severity: Medium}}))
	require.Equal(t, Critical, worst([]*Finding{{Severity: Critical}, {Severity: Low}}))
}

// TestWhatFollowsBringsAllItHas: a consequence adds its other causes and all its symptoms; symptoms at the cause itself
// are unchanged.
func TestWhatFollowsBringsAllItHas(t *testing.T) {
	s := newScene()
	s.result.explained["wide"] = true
	first := s.told(&Rule{ID: "first"}, Fail, s.shows("w", s.vms[0], 0))
	first.at, first.Cause = s.hosts[0], s.hosts[0].Ref()
	two := []*Finding{s.shows("x", s.vms[0], 1), s.shows("y", s.vms[0], 2)}
	s.told(&Rule{ID: "second", Follows: []string{"first"}}, Fail, two...)
	s.told(&Rule{ID: "later", Order: 9}, Fail, two[0])
	s.told(&Rule{ID: "last", Order: 9}, Fail, two[0])
	s.told(&Rule{ID: "third", Follows: []string{"first"}}, Fail, s.finds(&Rule{ID: "wide"}, s.hosts[0], High))
	all := s.advise().Recommendations
	require.Len(t, all, 1)
	require.Same(t, first, all[0].Diagnoses[0])
	require.Equal(t, []string{"first", "second", "third"}, idsOf(all[0].Diagnoses))
	require.Equal(t, []string{"last", "later"}, idsOf(all[0].Also))
	require.Equal(t, 2, all[0].Impact.VMs, "all that run there, and none twice")
	require.Equal(t, inventory.Known(3.0), all[0].Impact.Lost)
}

// TestWhatIsNear: of several possible causes, a consequence follows the one that is near, even if others come first; a
// device of a host that a VM does not use is not near, and one with unknown use is.
func TestWhatIsNear(t *testing.T) {
	s := newScene()
	store := new(inventory.Datastore)
	store.ID, store.HostIDs, store.Extents = "ds", inventory.Known([]string{"host0"}), inventory.Known([]string{"naa.0"})
	s.hosts[0].LUNs = inventory.Known([]*inventory.LUN{{Device: "naa.0"}, {Device: "naa.1"}})
	s.snapshot.VCenters[0].Datastores = []*inventory.Datastore{store}
	s.vms[0].Disks = inventory.Known([]*inventory.VDisk{{Label: "a", DatastoreID: inventory.Known("ds")}})
	s.vms[1].Disks = inventory.Known([]*inventory.VDisk{{Label: "a", DatastoreID: inventory.Known("ds")}, {Label: "b", DatastoreID: inventory.Unread[string]("x")}})
	s.vms[3].HostID = inventory.Unread[string]("x")
	s.snapshot.Link()
	luns, _ := s.hosts[0].LUNs.Value()
	disks, _ := s.vms[0].Disks.Value()
	for name, c := range map[string]struct {
		follows, cause inventory.Object
		want           bool
	}{
		"itself":                      {s.vms[0], s.vms[0], true},
		"its host":                    {s.vms[0], s.hosts[0], true},
		"another host":                {s.vms[2], s.hosts[0], false},
		"a device of its host":        {s.vms[0], s.nics[0], true},
		"a device of another host":    {s.vms[2], s.nics[0], false},
		"a disk with its files":       {s.vms[0], luns[0], true},
		"a disk with none":            {s.vms[0], luns[1], false},
		"a disk that may have one":    {s.vms[1], luns[1], true},
		"its device, a disk":          {disks[0], luns[0], true},
		"a host, its VM's":            {s.hosts[0], s.vms[0], true},
		"a host, its device's":        {s.hosts[0], s.nics[1], true},
		"a device, its host's":        {s.nics[1], s.hosts[0], true},
		"a device, another of it":     {s.nics[1], s.nics[0], false},
		"unknown host":                {s.vms[3], s.hosts[1], false},
		"nor of which host it has it": {s.vms[3], s.nics[3], false},
	} {
		require.Equal(t, c.want, related(c.follows, c.cause), name)
	}
	far, near := s.told(&Rule{ID: "first"}, Fail, s.shows("x", s.vms[2], 9)), s.told(&Rule{ID: "first"}, Fail, s.shows("y", s.vms[1], 1))
	after := s.told(&Rule{ID: "after", Follows: []string{"first"}}, Fail, s.shows("z", s.vms[1], 1))
	all := s.advise().Recommendations
	require.Equal(t, []*Diagnosis{far}, all[0].Diagnoses)
	require.Equal(t, []*Diagnosis{near, after}, all[1].Diagnoses)
}

// TestWhatProofsNameIsUsed: findings that proofs name are part of a recommendation, and of a consequence's findings
// those at the cause.
func TestWhatProofsNameIsUsed(t *testing.T) {
	s := newScene()
	set := func(id string, o inventory.Object) *Finding { return s.finds(&Rule{ID: id}, o, Medium) }
	one := s.told(&Rule{ID: "one"}, Fail, s.shows("x", s.vms[0], 9))
	two := s.told(&Rule{ID: "two"}, Fail, s.shows("y", s.vms[1], 8))
	same := set("same", s.hosts[0])
	one.Fixes, two.Fixes = []*Finding{same}, []*Finding{same}
	both := set("both", s.hosts[1])
	one.named, two.named = []*Finding{same, both}, []*Finding{set("by-two", s.hosts[1]), same}
	for n, id := range []string{"three", "four"} {
		f := s.told(&Rule{ID: id, Follows: []string{"one"}}, Fail, s.shows(id, s.vms[0], float64(n)))
		f.named = []*Finding{set(id+" elsewhere", s.nics[2]), set(id+" there", s.hosts[0]), same, both}
	}
	set("nobody's", s.hosts[0])
	var left []string
	for _, r := range s.advise().Recommendations {
		if len(r.Diagnoses) == 0 {
			left = append(left, r.Rule.ID)
		}
	}
	require.Equal(t, []string{"four elsewhere", "nobody's", "three elsewhere"}, left)
}

// TestBenefitsOfWhatNothingShows: a recommendation without symptoms has the expected benefits of all its objects.
func TestBenefitsOfWhatNothingShows(t *testing.T) {
	s := newScene()
	r := &Rule{ID: "r"}
	for i, h := range s.hosts {
		f := s.finds(r, h, Medium)
		f.Benefits = []Expected{{Benefit: Benefit{Text: "t"}, Holds: inventory.Known(i == 0)}}
	}
	all := s.advise().Recommendations
	require.Len(t, all, 1)
	require.Equal(t, []Expected{{Benefit{Text: "t"}, inventory.Unread[bool]("1 of 2 objects is similar to those it was measured on")}}, all[0].Benefits)
}

// TestWhatSeveralLoadsCallFor: a fix needed only under load is not recommended if the measured load does not call for
// it; if one of several objects was not measured, the recommendation says so.
func TestWhatSeveralLoadsCallFor(t *testing.T) {
	s := newScene()
	one, two := &Rule{ID: "one"}, &Rule{ID: "two"}
	s.result.only = map[*Rule][]string{one: {"d"}, two: {"d"}}
	s.hosts[1].Live = inventory.NewLive(map[string]inventory.Series{"cpu.load": {}})
	for _, r := range []*Rule{one, two} {
		for _, h := range s.hosts {
			s.finds(r, h, Medium).Host = h.Ref()
		}
	}
	s.told(&Rule{ID: "d"}, Unknown, s.finds(&Rule{ID: "x"}, s.hosts[1], High)).Finding.Host = s.hosts[1].Ref()
	for _, r := range s.advise().Recommendations[1:] {
		require.Len(t, r.Findings, 2)
		require.True(t, r.ByLoad, "of the first, though not of the last")
	}
	s.result.Diagnoses[0].Finding.Outcome = Pass
	for _, r := range s.advise().Recommendations[1:] {
		require.Len(t, r.Findings, 1)
	}
}

func TestWhatWasMeasured(t *testing.T) {
	s := newScene()
	c, d := new(inventory.Cluster), new(inventory.Datastore)
	require.False(t, measured(c))
	require.False(t, measured(d))
	for _, o := range []inventory.Object{s.hosts[0], s.nics[0], s.vms[0]} {
		require.False(t, measured(o))
	}
	live := inventory.NewLive(map[string]inventory.Series{"x": {}})
	s.hosts[0].Live, s.vms[0].Live = live, live
	for _, o := range []inventory.Object{s.hosts[0], s.nics[0], s.vms[0]} {
		require.True(t, measured(o))
	}
	require.False(t, measured(s.vms[1]))
}

// TestTheOrderOfWhatIsHarmless: harmless diagnoses are sorted by rule and object, whatever the order of their symptoms.
func TestTheOrderOfWhatIsHarmless(t *testing.T) {
	s := newScene()
	for _, id := range []string{"b", "a"} {
		s.told(&Rule{ID: id, Verdict: VerdictHarmless}, Fail, s.shows("x"+id, s.vms[0], 1))
	}
	require.Equal(t, []string{"a", "b"}, idsOf(s.advise().Harmless))
}
