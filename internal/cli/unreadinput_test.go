package cli

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/rulefiles"
	"github.com/vperf/vperf/internal/simfleet"
)

// kindsOfReads records the kinds of calls that pass a proxy, and fails all calls of one of them.
type kindsOfReads struct {
	mu   sync.Mutex
	seen map[string]int
	fail string
	hits int
}

// words are the parts of a request that say what is read, whatever the objects: types and properties, or the name of a command.
var requestWords = regexp.MustCompile(`<(?:type|pathSet|method|name|moid|Name)(?: [^>]*)?>([^<]*)<`)

// notReads are the methods that open or end a session, or only free what a read has used.
var notReads = regexp.MustCompile(`^(RetrieveServiceContent|Login|Logout|Destroy\w+|LogUserEvent|DELETE .*)\b`)

// kindOf names the kind of a call: its method, and the types and properties that it reads.
func kindOf(r *http.Request, body []byte) string {
	if !strings.HasSuffix(r.URL.Path, "/sdk") {
		return r.Method + " " + regexp.MustCompile(`id:.*`).ReplaceAllString(r.URL.Path, "id")
	}
	var words []string
	for _, m := range requestWords.FindAllSubmatch(body, -1) {
		if word := objectID.ReplaceAllString(string(m[1]), "#"); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.TrimSpace(faulty.NameOf(r, body) + " " + strings.Join(words, " "))
}

var objectID = regexp.MustCompile(`\d+`)

func (k *kindsOfReads) serve(w http.ResponseWriter, r *http.Request, body []byte) bool {
	kind := kindOf(r, body)
	k.mu.Lock()
	k.seen[kind]++
	fails := k.fail == kind
	if fails {
		k.hits++
	}
	k.mu.Unlock()
	switch {
	case !fails:
		return false
	case strings.HasSuffix(r.URL.Path, "/sdk"):
		faulty.Refuse(w, "SystemError", "<reason>a fault of the server</reason>")
	default:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	return true
}

// reads returns the kinds of calls so far that only read.
func (k *kindsOfReads) reads() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(k.seen)), notReads.MatchString)
}

// runWithout runs a command while all calls of a kind fail; "" is none.
func runWithout(t *testing.T, fleet *simfleet.Fleet, kind string, args ...string) (faultRun, *kindsOfReads) {
	t.Helper()
	k := &kindsOfReads{seen: map[string]int{}, fail: kind}
	s := newFaultStage(t, fleet, faulty.Hooks{Serve: k.serve})
	r := s.bounded(t, args...)
	s.clean(t, r, fleet.Password())
	r.hits = k.hits
	return r, k
}

// betterThan reports whether an outcome hides what another one shows.
func betterThan(got, whole string) bool {
	return got != whole && got != unknownFact && (got != "fail" || whole != "waived")
}

// rulesThatChange are all rules that propose changes without a value from the user, as --rule takes them.
func rulesThatChange(t *testing.T) string {
	t.Helper()
	library, err := rulefiles.Load(nil, false)
	require.NoError(t, err)
	var all []string
	for _, r := range library.Rules() {
		if len(r.Remedy) > 0 {
			all = append(all, r.ID)
		}
	}
	return strings.Join(all, ",")
}

// TestProveNoUnreadInputIsTakenForANo fails every kind of read in turn, in an audit and in a plan of the whole fleet. No outcome gets better,
// and no change is proposed that is not proposed with all reads.
func TestProveNoUnreadInputIsTakenForANo(t *testing.T) {
	t.Parallel()
	proof.NotRaced(t)
	fleet, err := sharedFaultFleet()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		args  string
		facts func(*testing.T, string) map[string]string
		few   int
	}{
		"audit": {"audit --all -o json", auditFacts, 3},
		"plan":  {"plan --rule " + rulesThatChange(t) + " -o json", planFacts, 3},
	} {
		args := strings.Fields(c.args)
		r, k := runWithout(t, fleet, "", args...)
		require.NotEmpty(t, r.stdout, r.stderr)
		whole := c.facts(t, r.stdout)
		require.Greater(t, len(whole), 100)
		for _, kind := range proof.Sample(t, c.few, k.reads()) {
			t.Run(name+" without "+kind[:min(len(kind), 80)], func(t *testing.T) {
				r, _ := runWithout(t, fleet, kind, args...)
				require.Positive(t, r.hits)
				if r.stdout == "" {
					require.NotZero(t, r.code)
					return
				}
				worse := 0
				for key, got := range c.facts(t, r.stdout) {
					switch is, there := whole[key]; {
					case there && betterThan(got, is):
						t.Errorf("%s is %s instead of %s", key, got, is)
					case !there && got != unknownFact:
						t.Errorf("%s is %s only with the fault", key, got)
					case got != is:
						worse++
					}
				}
				t.Logf("exit %d, %d of %d unknown, missing %d", r.code, worse, len(whole), len(whole)-len(c.facts(t, r.stdout)))
			})
		}
	}
}
