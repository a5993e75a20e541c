package expr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// TestErrorsOfExpressions: they are those of the environment, and name the place.
func TestErrorsOfExpressions(t *testing.T) {
	env, err := ForScope(inventory.ScopeVM, false)
	require.NoError(t, err)
	for _, text := range []string{`vm.vcpus >`, "vm.vcpus > 1 &&\n vm.nothing", `vm.name.matches("[")`, `.vm.name > 1`} {
		_, want := env.Compile(text)
		_, got := CompileBuiltIn(env, text)
		require.Error(t, want.Err())
		require.EqualError(t, got.Err(), want.Err().Error())
	}
}
