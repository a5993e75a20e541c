package advice

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// wanted returns a recommendation with a name that is ideal except for the change.
func wanted(name string, change func(r *Recommendation)) *Recommendation {
	r := &Recommendation{
		Rule: &Rule{ID: name}, Severity: Critical, Diagnoses: []*Diagnosis{{}}, Effort: EffortLow, Risk: ConsentFree,
		Impact:   Impact{VMs: 99, Lost: inventory.Known(99.0), Share: inventory.Known(1.0)},
		Benefits: []Expected{expected(-0.99, inventory.Known(true))},
	}
	change(r)
	return r
}

func expected(change float64, holds inventory.Fact[bool]) Expected {
	return Expected{Benefit: Benefit{Change: &change}, Holds: holds}
}

// inOrder returns recommendations, each of which is better than the next by one key, equal in the keys before it, and
// worse in all keys after it. So each key counts, and takes precedence over those after it.
func inOrder() []*Recommendation {
	unknown, absent := inventory.Unread[float64]("x"), inventory.Absent[float64]()
	bare := func(r *Recommendation) { // all keys after the severity at their worst
		r.Impact, r.Benefits, r.Effort, r.Risk = Impact{Lost: unknown, Share: absent}, nil, "", ConsentNever
	}
	some := expected(0.2, inventory.Absent[bool]())
	return []*Recommendation{
		wanted("01 info, much lost", func(r *Recommendation) { bare(r); r.Severity, r.Impact.Lost = Info, inventory.Known(2.0) }),
		wanted("02 high, little lost", func(r *Recommendation) { bare(r); r.Severity, r.Impact.Lost = High, inventory.Known(0.1) }),
		wanted("03 critical, unknown loss", bare),
		wanted("04 high, nothing lost, many VMs", func(r *Recommendation) { r.Severity, r.Impact.VMs, r.Impact.Lost = High, 9, inventory.Known(0.0) }),
		wanted("05 long", func(r *Recommendation) {
			bare(r)
			r.Severity, r.Impact.VMs, r.Impact.Share = High, 8, inventory.Known(0.5)
		}),
		wanted("06 short", func(r *Recommendation) {
			bare(r)
			r.Severity, r.Impact.VMs, r.Impact.Share = High, 8, inventory.Known(0.4)
			r.Benefits = []Expected{expected(-0.9, inventory.Known(true))}
		}),
		wanted("07 measured on the like", func(r *Recommendation) {
			bare(r)
			r.Severity, r.Benefits = Medium, []Expected{some, expected(-0.1, inventory.Known(true))}
		}),
		wanted("08 unknown, large", func(r *Recommendation) {
			bare(r)
			r.Severity, r.Benefits = Medium, []Expected{some, expected(-0.5, inventory.Unread[bool]("x"))}
		}),
		wanted("09 unknown, small", func(r *Recommendation) {
			bare(r)
			r.Severity, r.Benefits, r.Effort = Medium, []Expected{some}, EffortLow
		}),
		wanted("10 little work", func(r *Recommendation) {
			bare(r)
			r.Severity, r.Effort, r.Benefits = Medium, EffortLow, []Expected{expected(0.9, inventory.Known(false)), {}}
		}),
		wanted("11 some work", func(r *Recommendation) { bare(r); r.Severity, r.Effort = Medium, EffortMedium }),
		wanted("12 much work, safe", func(r *Recommendation) { bare(r); r.Severity, r.Effort, r.Risk = Medium, EffortHigh, ConsentFree }),
		wanted("13 much work, less safe", func(r *Recommendation) { bare(r); r.Severity, r.Effort, r.Risk = Medium, EffortHigh, ConsentNamed }),
		wanted("14 unknown effort", func(r *Recommendation) { bare(r); r.Severity, r.Risk = Medium, ConsentFree }),
		wanted("15 a", func(r *Recommendation) { bare(r); r.Severity, r.Object.Path = Medium, "/a" }),
		wanted("15 a", func(r *Recommendation) { bare(r); r.Severity, r.Object.Path = Medium, "/b" }),
		wanted("16 b", func(r *Recommendation) { bare(r); r.Severity = Medium }),
		wanted("17 possible", func(r *Recommendation) { r.Possible = true }),
		wanted("17 shows nothing", func(r *Recommendation) { r.Diagnoses = nil }),
		wanted("18 shows nothing, mild", func(r *Recommendation) { r.Diagnoses, r.Impact.Lost, r.Severity = nil, inventory.Known(99.0), High }),
	}
}

func TestEachKeyOfTheOrderCounts(t *testing.T) {
	list := inOrder()
	for i, a := range list {
		require.Zero(t, compareRecommendations(a, a))
		for _, b := range list[i+1:] {
			require.Negative(t, compareRecommendations(a, b), "%s, %s", a.Rule.ID, b.Rule.ID)
			require.Positive(t, compareRecommendations(b, a), "%s, %s", a.Rule.ID, b.Rule.ID)
		}
	}
}

func TestTheOrderIsTheSameHoweverTheyCome(t *testing.T) {
	want := inOrder()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		mixed := append([]*Recommendation(nil), want...)
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		a := &Advice{Recommendations: mixed}
		rank(a)
		require.Equal(t, want, a.Recommendations)
	}
}

func TestEffortAndRiskOfChanges(t *testing.T) {
	with := func(changes ...Change) []*Finding { return []*Finding{{}, {Remedies: changes}} }
	change := func(a inventory.Activation, c Consent) Change { return Change{Activation: a, Consent: c} }
	for name, c := range map[string]struct {
		findings []*Finding
		byHand   Effort
		effort   Effort
		risk     Consent
	}{
		"nothing to set":        {with(), EffortHigh, EffortHigh, ConsentNever},
		"nobody says":           {nil, "", "", ConsentNever},
		"at once":               {with(change(inventory.ActivationLive, ConsentFree)), EffortHigh, EffortLow, ConsentFree},
		"next power-on":         {with(change(inventory.ActivationNextPowerOn, ConsentNamed)), "", EffortMedium, ConsentNamed},
		"power cycle":           {with(change(inventory.ActivationPowerCycle, ConsentNamed)), "", EffortMedium, ConsentNamed},
		"powered off":           {with(change(inventory.ActivationPowerOff, ConsentValue)), "", EffortMedium, ConsentValue},
		"driver":                {with(change(inventory.ActivationDriverReload, ConsentFree)), "", EffortHigh, ConsentFree},
		"reboot":                {with(change(inventory.ActivationHostReboot, ConsentFree)), "", EffortHigh, ConsentFree},
		"by hand":               {with(change(inventory.ActivationManual, ConsentNever)), EffortMedium, EffortMedium, ConsentNever},
		"manual, unknown":       {with(change(inventory.ActivationManual, ConsentNever)), "", "", ConsentNever},
		"the most of several":   {with(change(inventory.ActivationHostReboot, ConsentFree), change(inventory.ActivationLive, ConsentNamed)), "", EffortHigh, ConsentNamed},
		"the last is the worst": {with(change(inventory.ActivationLive, ConsentNamed), change(inventory.ActivationPowerOff, ConsentFree)), "", EffortMedium, ConsentNamed},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.effort, effortOf(c.findings, c.byHand))
			require.Equal(t, c.risk, riskOf(c.findings))
		})
	}
}

// TestBenefitsOfMany: a benefit of many objects applies if it applies to all of them.
func TestBenefitsOfMany(t *testing.T) {
	yes, no, undecided, none := inventory.Known(true), inventory.Known(false), inventory.Unread[bool]("dark"), inventory.Absent[bool]()
	for name, c := range map[string]struct {
		of   []inventory.Fact[bool]
		want inventory.Fact[bool]
	}{
		"all":        {[]inventory.Fact[bool]{yes, yes}, yes},
		"none":       {[]inventory.Fact[bool]{no, no}, no},
		"half":       {[]inventory.Fact[bool]{yes, no}, inventory.Unread[bool]("1 of 2 objects is similar to those it was measured on")},
		"some":       {[]inventory.Fact[bool]{yes, no, yes}, inventory.Unread[bool]("2 of 3 objects are similar to those it was measured on")},
		"nobody":     {[]inventory.Fact[bool]{none, none}, none},
		"unread":     {[]inventory.Fact[bool]{undecided}, undecided},
		"one unread": {[]inventory.Fact[bool]{yes, undecided}, inventory.Unread[bool]("1 of 2 objects is similar to those it was measured on")},
	} {
		t.Run(name, func(t *testing.T) {
			var e expectations
			for _, holds := range c.of {
				e.add(&Finding{Benefits: []Expected{expected(0.1, none), {Benefit: Benefit{Text: "t"}, Holds: holds}}})
			}
			all := e.all()
			require.Len(t, all, 2)
			require.Equal(t, c.want, all[1].Holds)
		})
	}
}

// TestBenefitsApart: benefits are equal if all their fields are equal, and are sorted by expectation.
func TestBenefitsApart(t *testing.T) {
	base := Benefit{Metric: "m", Text: "t", When: "w", Source: "s"}
	other := []Benefit{base, base, base, base, base}
	other[0].Metric, other[1].Text, other[2].When, other[3].Source = "x", "x", "x", "x"
	var e expectations
	for _, b := range append(other, base) {
		e.add(&Finding{Benefits: []Expected{{Benefit: b, Holds: inventory.Absent[bool]()}}})
	}
	require.Len(t, e.all(), 5)

	no, undecided, yes := inventory.Known(false), inventory.Unread[bool]("x"), inventory.Known(true)
	var sorted expectations
	for i, x := range []Expected{expected(9, no), expected(0.1, undecided), expected(-0.2, undecided), expected(0.1, yes), expected(-0.3, yes)} {
		x.Text = string(rune('a' + i))
		sorted.add(&Finding{Benefits: []Expected{x}})
	}
	var order []string
	for _, x := range sorted.all() {
		order = append(order, x.Text)
	}
	require.Equal(t, []string{"e", "d", "c", "b", "a"}, order)
}
