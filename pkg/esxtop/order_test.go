package esxtop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompareIDs(t *testing.T) {
	inOrder := []string{"", "0x2", "0x9", "0x1a", "0x100", "2", "9", "10", "a", "a1b", "a01c", "b", "scsi0:1", "scsi0:10", "scsi1:0", "vmhba2", "vmhba02x", "vmhba10", "vmnic"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			got := CompareIDs(a, b)
			require.Equal(t, i < j, got < 0, "%q and %q", a, b)
			require.Equal(t, i == j, got == 0, "%q and %q", a, b)
		}
	}
}
