package cli

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
)

// A parameter that is not there, and a value that it cannot have, are what the user typed.
func TestWrongParametersAreWrongUsage(t *testing.T) {
	for _, err := range []error{&advice.UnknownParamError{Rule: "rss"}, &advice.ParamValueError{Rule: "rss"}} {
		require.Equal(t, exitUsage, exitCode(fmt.Errorf("--set: %w", err)))
	}
}
