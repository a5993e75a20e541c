package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

func library(t testing.TB) *advice.Library {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	return l
}

func TestEveryExampleOfTheLibrary(t *testing.T) {
	set, err := library(t).Select(advice.Selection{})
	require.NoError(t, err)
	n, err := set.Prove(t.Context())
	require.NoError(t, err)
	t.Logf("%d rules, %d examples, needs %v %v", len(set.Rules()), n, set.Needs().Facts(), set.Needs().OptionKeys())
}
