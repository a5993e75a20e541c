package tuning

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestMissingPrivileges(t *testing.T) {
	c := Condition{Privileges: inventory.Known([]string{"A"})}
	require.Equal(t, []string{"C", "B"}, c.missing([]string{"C", "A", "B", "C"}), "each once, in the order in which they are needed")
	require.Empty(t, c.missing([]string{"A"}))
	c.Privileges = inventory.Unread[[]string]("the server does not report")
	require.Empty(t, c.missing([]string{"C"}), "unknown privileges are checked by the server")
}
