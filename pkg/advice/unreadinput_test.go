package advice_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestProveUnreadFactsMakeNothingBetter takes each kind of fact away from all objects of estates with faults, tags, waivers and provider's
// hosts. Each outcome stays the same or becomes unknown; only a waived one may become a fail again. No finding gets a remedy that it does not
// have with the fact: profiles, waivers and providers are not guessed.
func TestProveUnreadFactsMakeNothingBetter(t *testing.T) {
	set, err := library(t).Select(advice.Selection{})
	require.NoError(t, err)
	unknown, waived := 0, 0
	for seed := range uint64(proof.Count(t, 1, 3)) {
		s := faultyEstate(t, seed)
		markSome(s, seed)
		o := advice.Options{All: true, Assignments: []advice.Assignment{{Tag: "tier/gold", Profile: advice.ProfileDatabase, From: "x"}}}
		whole := outcomesOf(t, s, set, o)
		all := advice.FactsOf(s)
		for _, name := range proof.Sample(t, 8, slices.Sorted(maps.Keys(all))) {
			back := make([]reflect.Value, len(all[name]))
			for i, v := range all[name] {
				back[i] = reflect.New(v.Type()).Elem()
				back[i].Set(v)
				v.SetZero()
			}
			got := outcomesOf(t, s, set, o)
			computed := !all[name][0].IsZero() // by the snapshot itself
			for i, v := range all[name] {
				v.Set(back[i])
			}
			if computed {
				continue
			}
			for key, f := range got {
				was, there := whole[key]
				switch {
				case f.outcome == advice.Unknown:
					unknown++
				case !there || f.outcome == was.outcome:
				case was.outcome == advice.Waived && f.outcome == advice.Fail:
					waived++
				case f.outcome == advice.Manual: // a check that nothing makes unnecessary
				case strings.HasPrefix(was.reason, "covered by"): // it counts where the finding that covers it is unknown
				default:
					t.Errorf("seed %d without %s: %s is %s instead of %s", seed, name, key, f.outcome, was.outcome)
				}
				for change := range f.changes {
					if there && was.outcome == advice.Fail && !was.changes[change] {
						t.Errorf("seed %d without %s: %s has the remedy %s only now, of %v", seed, name, key, change, was.changes)
					}
				}
			}
		}
		s.Link()
	}
	require.Positive(t, unknown)
	t.Log(unknown, waived)
}

// judgedOnce is the outcome of a finding, and its remedies.
type judgedOnce struct {
	outcome advice.Outcome
	reason  string
	changes map[string]bool
}

func outcomesOf(t *testing.T, s *inventory.Snapshot, set *advice.Ruleset, o advice.Options) map[string]judgedOnce {
	t.Helper()
	s.Link()
	r, err := advice.Evaluate(t.Context(), s, set, o)
	require.NoError(t, err)
	w := library(t).Waivers("2026-01-01")
	require.NoError(t, w.Parse("w.yaml", []byte("waivers: [{rule: '*', tag: tier/silver, reason: r, until: 2027-01-01}]")))
	w.Apply(r, s, set)
	all := map[string]judgedOnce{}
	for _, f := range r.Findings {
		x := judgedOnce{f.Outcome, f.Reason, map[string]bool{}}
		for _, c := range f.Remedies {
			x.changes[fmt.Sprint(c.Object.ID, c.Setting, c.To)] = true
		}
		all[f.Rule.ID+" of "+f.Object.VCenter+" "+f.Object.ID] = x
	}
	return all
}

// markSome gives some objects tags, and some hosts a provider.
func markSome(s *inventory.Snapshot, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	mark := func(e *inventory.Entity) {
		tags := []string{"a/b", "tier/gold", "tier/silver", "vperf.profile/" + string(advice.Profiles()[r.IntN(len(advice.Profiles()))])}
		e.Tags = inventory.Known([]string{tags[r.IntN(len(tags))]})
		e.Attributes = inventory.Known(map[string]string{})
	}
	for _, v := range s.VCenters {
		mark(&v.Entity)
		for _, c := range v.Clusters {
			mark(&c.Entity)
		}
		cloud := []string{"", inventory.CloudVMC}[r.IntN(2)]
		for _, h := range v.Hosts {
			mark(&h.Entity)
			h.Cloud, h.CloudEvidence = inventory.Known(cloud), inventory.Known("model")
		}
		for _, vm := range v.VMs {
			mark(&vm.Entity)
		}
	}
}
