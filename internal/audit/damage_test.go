package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// damager damages one scalar in what passes.
type damager struct {
	mu   sync.Mutex
	dice *rand.Rand // nil: nothing is damaged
	skip int        // answers about objects that pass before the one that is hit
	seen int        // answers about objects
	spot *faulty.Spot
	now  string
}

func (d *damager) arm(dice *rand.Rand, skip int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dice, d.skip, d.seen, d.spot = dice, skip, 0, nil
}

// answer is a hook of the proxy. Only facts about objects are damaged.
func (d *damager) answer(_, answer []byte) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !bytes.Contains(answer, []byte("<obj ")) {
		return answer
	}
	if d.seen++; d.dice == nil || d.spot != nil || d.seen <= d.skip {
		return answer
	}
	var spots []faulty.Spot
	for _, s := range faulty.Spots(answer) {
		if s.Object != "" {
			spots = append(spots, s)
		}
	}
	if len(spots) == 0 {
		return answer // the next one is hit
	}
	d.spot = &spots[d.dice.IntN(len(spots))]
	answer, d.now = d.spot.Damage(answer, d.dice)
	return answer
}

// auditsThrough returns a function that audits the demo fleet with a hook that changes what the server answers.
func auditsThrough(t *testing.T, answer func(request, answer []byte) []byte) func() (*audit.Audit, error) {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	f, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	t.Cleanup(f.Close)
	p := faulty.New(t, f.URL(), faulty.Hooks{Answer: answer})
	return func() (*audit.Audit, error) {
		s, err := session.Dial(t.Context(), session.Endpoint{
			URL: p.URL, User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: p.Certificate, CallTimeout: time.Minute,
		})
		if err != nil {
			return nil, err
		}
		defer func() { _ = s.Close(context.Background()) }()
		s.SetForTest(session.TestSettings{PageLimit: 20})
		return audit.Run(t.Context(), demo{s}, audit.Request{Rules: set, Options: advice.Options{All: true}})
	}
}

func byKey(a *audit.Audit) map[string]*advice.Finding {
	results := map[string]*advice.Finding{}
	for _, f := range a.Result.Findings {
		results[fmt.Sprint(f.Rule.ID, " ", f.Object.Kind, " ", f.Object.ID)] = f
	}
	return results
}

// TestDamagedCallsOfOneAnswer: damage in what the server says of itself ends no audit. Without its time, ages are unknown.
func TestDamagedCallsOfOneAnswer(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	var call string
	hits := 0
	through := auditsThrough(t, func(request, answer []byte) []byte {
		if call == "" || !bytes.Contains(request, []byte("<"+call+" ")) {
			return answer
		}
		spots := faulty.Spots(answer)
		for _, s := range slices.Backward(spots) {
			if !slices.Contains([]string{"vendor", "apiType", "apiVersion", "instanceUuid"}, s.Element) { // they decide what is asked for
				answer = slices.Concat(answer[:s.From], []byte("yester\xff"), answer[s.To:])
				hits++
			}
		}
		return answer
	})
	a, err := through()
	require.NoError(t, err)
	before := byKey(a)
	for _, call = range []string{"Login", "RetrieveServiceContent", "CurrentTime"} {
		hits = 0
		a, err := through()
		require.NoError(t, err, call)
		require.Positive(t, hits, call)
		unknown, after := map[string]bool{}, byKey(a)
		for key, was := range before {
			if is := after[key]; is.Outcome != was.Outcome {
				require.Equal(t, advice.Unknown, is.Outcome, "%s: %s", call, key)
				unknown[was.Rule.ID] = true
			}
		}
		if call == "CurrentTime" {
			require.Equal(t, map[string]bool{"snapshots": true}, unknown)
			require.Len(t, a.Result.UnreadObjects, 1)
			require.Contains(t, a.Result.UnreadObjects[0].Reason, `its answer to CurrentTime is damaged at byte`)
			require.Contains(t, a.Result.UnreadObjects[0].Reason, `returnval: "yester`+"\uFFFD"+`" is not a time`)
			continue
		}
		require.Empty(t, a.Result.UnreadObjects, call)
	}
}

// TestProveDamageChangesOneObject: whatever single value of an answer is damaged, an audit ends, judges all other hosts and VMs as before,
// and passes nothing that it did not pass.
func TestProveDamageChangesOneObject(t *testing.T) {
	proof.NotRaced(t)
	d := new(damager)
	through := auditsThrough(t, d.answer)
	run := func() map[string]*advice.Finding {
		a, err := through()
		require.NoError(t, err, "%+v is %q", d.spot, d.now)
		require.Empty(t, a.Result.UnreadObjects, "%+v is %q", d.spot, d.now)
		return byKey(a)
	}
	before := run()
	answers := d.seen
	require.Greater(t, answers, 8)
	changed := 0
	dice := rand.New(rand.NewPCG(33, 2)) //nolint:gosec // for a test
	audits := proof.Count(t, 20, 40)
	if proof.Long(t) {
		audits = 300
	}
	for range audits {
		d.arm(dice, dice.IntN(answers))
		after := run()
		if d.spot == nil {
			continue // the last answers have no scalars
		}
		at := fmt.Sprintf("%+v is %q", *d.spot, d.now)
		unread := map[string]bool{} // rules that are unknown for all devices of an object
		for key, f := range after {
			if before[key] == nil {
				require.Contains(t, key, d.spot.Object, at)
				unread[f.Rule.ID] = unread[f.Rule.ID] || f.Outcome == advice.Unknown
			}
		}
		for key, was := range before {
			is := after[key]
			if is == nil && strings.Contains(key, d.spot.Object) { // a device: all of them are unread, or it has another label now
				changed++
				require.True(t, unread[was.Rule.ID] || d.spot.Element == "label" || was.Outcome != advice.Fail && was.Outcome != advice.Unknown, "%s: %s", at, key)
				continue
			}
			require.NotNil(t, is, "%s: %s", at, key)
			if was.Outcome == is.Outcome {
				continue
			}
			changed++
			require.False(t, (was.Outcome == advice.Fail || was.Outcome == advice.Unknown) && (is.Outcome == advice.Pass || is.Outcome == advice.NotApplicable),
				"%s: %s was %s and is %s: %s", at, key, was.Outcome, is.Outcome, is.Reason)
			if strings.HasPrefix(d.spot.Object, "vm-") && was.Object.Kind == "vm" || strings.HasPrefix(d.spot.Object, "host-") && was.Object.Kind == "host" {
				require.Equal(t, d.spot.Object, was.Object.ID, "%s: %s was %s and is %s: %s", at, key, was.Outcome, is.Outcome, is.Reason)
			}
		}
	}
	require.Positive(t, changed, "damage has consequences")
}
