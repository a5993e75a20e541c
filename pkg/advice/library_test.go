package advice_test

import (
	"io/fs"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/rules"
)

var loadLibrary = sync.OnceValues(func() (*advice.Library, error) { return advice.Load(advice.Source{FS: rules.FS}) })

// library is the built-in library, read once for all tests.
func library(t testing.TB) *advice.Library {
	t.Helper()
	l, err := loadLibrary()
	require.NoError(t, err)
	return l
}

// articles is the part of the library that a single rule needs: the articles it quotes.
func articles(t testing.TB) advice.Source {
	t.Helper()
	names, err := fs.Glob(rules.FS, "sources/*.yaml")
	require.NoError(t, err)
	files := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(rules.FS, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	return advice.Source{FS: files}
}

func TestEveryExampleOfTheLibrary(t *testing.T) {
	set, err := library(t).Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	n, err := ruletool.RunExamples(t.Context(), set)
	require.NoError(t, err)
	t.Logf("%d rules, %d examples, needs %v %v", len(set.Rules()), n, set.Needs(advice.Options{}).Facts(), set.Needs(advice.Options{}).OptionKeys())
}

// TestLeanRulesAreTheSame: omitting the examples changes nothing else.
func TestLeanRulesAreTheSame(t *testing.T) {
	lean, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	full := library(t).Rules()
	require.Len(t, lean.Rules(), len(full))
	for i, r := range lean.Rules() {
		require.Empty(t, r.Examples, r.ID)
		require.Equal(t, full[i].Sources, r.Sources, "%s: its last field but the examples", r.ID)
		require.Equal(t, full[i].Want.Source, r.Want.Source)
	}
}

// TestCriticalIsUsed: a gate on critical can fail, because some built-in rule can be that severe.
func TestCriticalIsUsed(t *testing.T) {
	for _, r := range library(t).Rules() {
		for _, c := range r.Cases {
			if c.Severity == advice.Critical {
				return
			}
		}
	}
	require.Fail(t, "no rule is ever critical: --fail-on critical could not fail")
}

// TestOneConsentForEachKind: built-in rules need the same approval for all settings of a kind; exceptions are listed,
// with the reason.
func TestOneConsentForEachKind(t *testing.T) {
	raised := map[string]string{
		"driver-options/RSS rss":                               "the number of queues is the site's own",
		"driver-options/num_rings_per_rss_queue rss":           "the number of queues is the site's own",
		"host-option/Net.TcpipHeapMax tcpip-heap":              "the size is the array vendor's",
		"host-option/Net.NetNetqNumaIOCpuPinThreshold numa-io": "one NUMA node would carry all network threads",
		"power-policy power-policy":                            "Custom and High performance were chosen by somebody",
	}
	for _, r := range library(t).Rules() {
		for _, m := range r.Remedy {
			if m.Consent == advice.ConsentNever || m.Consent == m.Setting().Consent() {
				continue
			}
			require.Contains(t, raised, m.Setting().String()+" "+r.ID, "consent %s, and the setting needs %s", m.Consent, m.Setting().Consent())
		}
	}
}

// TestOurRulesAreComplete: every built-in rule has the parts that readers need to trust it and tests need to check it.
func TestOurRulesAreComplete(t *testing.T) {
	for _, r := range library(t).Rules() {
		require.Empty(t, ruletool.Missing(r))
	}
}
