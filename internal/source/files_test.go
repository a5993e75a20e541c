package source

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAMissingFileIsNamedByItsKind, as far as its name shows it.
func TestAMissingFileIsNamedByItsKind(t *testing.T) {
	for name, want := range map[string]string{
		"fleet.xlsx": "reading RVTools export: ", "tabvInfo.CSV": "reading RVTools export: ", "fleet.json": "reading snapshot: ",
		"fleet.json.gz": "reading snapshot: ", "exports": "reading snapshot or RVTools export: ",
	} {
		path := filepath.Join(t.TempDir(), name)
		_, err := LoadFile(t.Context(), path, nil)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.Equal(t, want+"open "+path+": no such file or directory", err.Error())
	}
}
