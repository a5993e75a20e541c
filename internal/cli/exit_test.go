package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/rulefiles"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
)

// An unknown parameter and an invalid value are mistakes of the user.
func TestWrongParametersAreWrongUsage(t *testing.T) {
	for _, err := range []error{&advice.UnknownParamError{Rule: "rss"}, &advice.ParamValueError{Rule: "rss"}} {
		require.Equal(t, exitUsage, exitCode(fmt.Errorf("--set: %w", err)))
	}
}

// An example of a value is one that every object accepts: a refusal would follow otherwise.
func TestExamplesOfParametersAreAccepted(t *testing.T) {
	library, err := rulefiles.Load(nil, false)
	require.NoError(t, err)
	limited := 0
	for _, r := range library.Rules() {
		for name, p := range r.Params {
			if _, text := p.Value.(string); text {
				continue
			}
			said := hint(library.Set(r.ID, name, "NaN"), typed.Source{})
			set := fmt.Sprintf("--set %s.%s", r.ID, name)
			if slices.ContainsFunc(r.Remedy, func(m advice.Remedy) bool { return strings.Contains(m.To.Source, "min(params."+name+",") }) {
				limited++
				require.Equal(t, fmt.Sprintf("; without %s it is %v, or the most that is accepted where that is less", set, p.Value), said)
				continue
			}
			require.Equal(t, fmt.Sprintf("; type for example %s=%v", set, p.Value), said)
			require.NoError(t, library.Set(r.ID, name, fmt.Sprint(p.Value)))
		}
	}
	require.GreaterOrEqual(t, limited, 3)
}
