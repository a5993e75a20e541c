package cli

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
)

// An unknown parameter and an invalid value are mistakes of the user.
func TestWrongParametersAreWrongUsage(t *testing.T) {
	for _, err := range []error{&advice.UnknownParamError{Rule: "rss"}, &advice.ParamValueError{Rule: "rss"}} {
		require.Equal(t, exitUsage, exitCode(fmt.Errorf("--set: %w", err)))
	}
}
