package tuning

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
)

// TestProveFlippedBits flips each bit of a journal and rolls back. A broken journal is refused and nothing is written. Otherwise (the last
// line has no hash after it) every setting has the value from before the run or the one that the run gave it, and no other.
func TestProveFlippedBits(t *testing.T) {
	_, disk, id := applied(t, 2)
	file := disk.files[id+"/"+journalFile]
	whole := slices.Clone(file.content)
	bits := make([]int, 8*len(whole))
	for i := range bits {
		bits[i] = i
	}
	refused, rolledBack := 0, 0
	for _, bit := range proof.Sample(t, 500, bits) {
		f, _ := hosts(2)
		for _, thing := range f.things {
			thing.settings["host-option/A"].value = long(60)
		}
		file.content = slices.Clone(whole)
		file.content[bit/8] ^= 1 << (bit % 8)
		_, err := Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
		_, broken := errors.AsType[*BrokenError](err)
		if broken {
			refused++
			require.Empty(t, f.did())
		} else {
			rolledBack++
		}
		for name, thing := range f.things {
			require.Contains(t, []value{long(0), long(60)}, thing.settings["host-option/A"].value, "%s after bit %d of byte %d: %q", name, bit%8, bit/8,
				whole[max(0, bit/8-20):min(len(whole), bit/8+20)])
		}
	}
	t.Logf("%d bits: %d journals refused, %d rolled back", len(bits), refused, rolledBack)
	require.Greater(t, refused, rolledBack, "all lines but the last are protected")
}
