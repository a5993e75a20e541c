package expr

import (
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/require"
)

func TestOlderGuest(t *testing.T) {
	for _, c := range []struct {
		a, than string
		older   bool
	}{
		{"vmkernel6Guest", "vmkernel65Guest", true},
		{"vmkernel65Guest", "vmkernel6Guest", false},
		{"vmkernel65Guest", "vmkernel7Guest", true},
		{"vmkernel7Guest", "vmkernel65Guest", false},
		{"rhel7_64Guest", "rhel8_64Guest", true},
		{"rhel8_64Guest", "rhel8_64Guest", false},
		{"rhel8_64Guest", "centos9_64Guest", false},
		{"debian9_64Guest", "debian12_64Guest", true},
		{"windows8Server64Guest", "windows2019srv_64Guest", true},
		{"windows2019srv_64Guest", "windows2019srvNext_64Guest", true},
		{"windows2019srvNext_64Guest", "windows2022srvNext_64Guest", true},
		{"windows9_64Guest", "windows2019srv_64Guest", false}, // a desktop is another family
		{"windows9_64Guest", "windows11_64Guest", true},
		{"ubuntu64Guest", "ubuntu64Guest", false},
		{"vmwarePhoton64Guest", "rhel8_64Guest", false},
		{"", "rhel8_64Guest", false},
	} {
		require.Equal(t, types.Bool(c.older), olderGuest(types.String(c.a), types.String(c.than)), c.a+" than "+c.than)
	}
}
