package advice_test

import (
	"testing"

	"cel.dev/cel-go/cel"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/rules"
)

// TestExpressionsOfTheLibrary: the quick parser makes the trees of the environment's parser, with the same types.
func TestExpressionsOfTheLibrary(t *testing.T) {
	proof.NotRaced(t)
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	seen := 0
	for _, r := range l.Rules() {
		env, texts := r.Language(t)
		for _, text := range texts {
			want, issues := env.Compile(text)
			require.NoError(t, issues.Err(), r.ID)
			got, issues := expr.CompileBuiltIn(env, text)
			require.NoError(t, issues.Err(), r.ID)
			require.True(t, proto.Equal(checked(t, want), checked(t, got)), "%s: %s", r.ID, text)
			seen++
		}
	}
	require.Greater(t, seen, 800)
	t.Log(seen)
}

func checked(t *testing.T, a *cel.Ast) proto.Message {
	t.Helper()
	tree, err := cel.AstToCheckedExpr(a)
	require.NoError(t, err)
	return tree
}
