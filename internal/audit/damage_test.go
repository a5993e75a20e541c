package audit_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
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

// class is a kind of answer.
type class string

const (
	pages   class = "pages of properties"
	esxcli  class = "esxcli" // with a document inside
	modules class = "options of kernel modules"
	tags    class = "tags over REST"
)

// damager damages one scalar in what passes.
type damager struct {
	mu   sync.Mutex
	dice *rand.Rand // nil: nothing is damaged
	hits class      // the class of answers that it damages
	skip int        // answers of the class that pass before the one that is hit
	seen map[class]int
	spot *faulty.Spot
	now  string
}

func (d *damager) arm(dice *rand.Rand, hits class, skip int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dice, d.hits, d.skip, d.seen, d.spot = dice, hits, skip, map[class]int{}, nil
}

// answer is a hook of the proxy. Only facts about objects are damaged.
func (d *damager) answer(request, answer []byte) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	of, object := classOf(request, answer)
	if of == "" {
		return answer
	}
	if d.seen[of]++; d.dice == nil || d.spot != nil || of != d.hits || d.seen[of] <= d.skip {
		return answer
	}
	text, put := answer, func(text []byte) []byte { return text }
	if m := inside.FindSubmatchIndex(answer); of == esxcli && m != nil {
		text = []byte(html.UnescapeString(string(answer[m[2]:m[3]])))
		put = func(text []byte) []byte {
			return slices.Concat(answer[:m[2]], []byte(escaped.Replace(string(text))), answer[m[3]:])
		}
	}
	var spots []faulty.Spot
	for _, s := range spotsIn(of, text) {
		if s.Object = cmp.Or(object, s.Object); s.Object != "" || of == tags {
			spots = append(spots, s)
		}
	}
	if len(spots) == 0 {
		return answer // the next one is hit
	}
	d.spot = &spots[d.dice.IntN(len(spots))]
	if of == tags {
		d.now = string([]byte{0xff, 0x1f}[d.dice.IntN(2):][:1])
		return slices.Insert(slices.Clone(answer), d.spot.From, d.now[0])
	}
	text, d.now = d.spot.Damage(text, d.dice)
	return put(text)
}

var (
	inside   = regexp.MustCompile(`<response>([^<]*)</response>`)
	escaped  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	hostOf   = regexp.MustCompile(`<_this type="\w+">(?:kernelModuleSystem-)?(host-\d+)</_this>`)
	nameOfIt = regexp.MustCompile(`"name":"([^"]+)"`)
)

// classOf returns the class of an answer, "" for one that is not about objects, and the host that it is about.
func classOf(request, answer []byte) (of class, host string) {
	if m := hostOf.FindSubmatch(request); m != nil {
		host = string(m[1])
	}
	switch {
	case bytes.Contains(answer, []byte("<obj ")):
		return pages, ""
	case bytes.Contains(request, []byte("<ExecuteSoap ")) && !bytes.Contains(request, []byte("FetchCLIInfo")): // the names of commands are ids
		return esxcli, host
	case bytes.Contains(request, []byte("<QueryConfiguredModuleOptionString ")):
		return modules, host
	case nameOfIt.Match(answer):
		return tags, ""
	}
	return "", ""
}

// spotsIn returns the scalars of an answer.
func spotsIn(of class, text []byte) (spots []faulty.Spot) {
	if of != tags {
		return faulty.Spots(text)
	}
	for _, m := range nameOfIt.FindAllSubmatchIndex(text, -1) {
		spots = append(spots, faulty.Spot{From: m[2], To: m[3], Element: "name"})
	}
	return spots
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
	d := &damager{seen: map[class]int{}}
	through := auditsThrough(t, d.answer)
	run := func() map[string]*advice.Finding {
		a, err := through()
		require.NoError(t, err, "%+v is %q", d.spot, d.now)
		require.Empty(t, a.Result.UnreadObjects, "%+v is %q", d.spot, d.now)
		return byKey(a)
	}
	before := run()
	answers := d.seen
	require.Greater(t, answers[pages], 8)
	turns := []class{pages, esxcli, pages, modules, pages, esxcli, pages, tags}
	changed, hits := 0, map[class]int{}
	dice := rand.New(rand.NewPCG(33, 2)) //nolint:gosec // for a test
	audits := proof.Count(t, 20, 40)
	if proof.Long(t) {
		audits = 300
	}
	for n := range audits {
		of := turns[n%len(turns)]
		require.Positive(t, answers[of], of)
		d.arm(dice, of, dice.IntN(answers[of]))
		after := run()
		if d.spot == nil {
			continue // the last answers have no scalars
		}
		hits[of]++
		at := fmt.Sprintf("%s: %+v is %q", of, *d.spot, d.now)
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
			if was.Outcome == advice.Manual || is.Outcome == advice.Manual {
				continue // a check that several objects need once: another of them stands for all
			}
			if strings.HasPrefix(d.spot.Object, "vm-") && was.Object.Kind == "vm" || strings.HasPrefix(d.spot.Object, "host-") && was.Object.Kind == "host" {
				require.Equal(t, d.spot.Object, was.Object.ID, "%s: %s was %s and is %s: %s", at, key, was.Outcome, is.Outcome, is.Reason)
			}
		}
	}
	t.Log(hits)
	require.Len(t, hits, 4)
	require.Positive(t, changed, "damage has consequences")
}
