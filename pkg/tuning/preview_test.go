package tuning

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestMissingPrivileges(t *testing.T) {
	c := Condition{Privileges: inventory.Known([]string{"A"})}
	require.Equal(t, []string{"C", "B"}, c.missingPrivileges([]string{"C", "A", "B", "C"}), "each once, in the order in which they are needed")
	require.Empty(t, c.missingPrivileges([]string{"A"}))
	c.Privileges = inventory.Unread[[]string]("the server does not say")
	require.Empty(t, c.missingPrivileges([]string{"C"}), "unknown privileges are checked by the server")
}
