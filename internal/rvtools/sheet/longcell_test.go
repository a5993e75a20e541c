package sheet

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Cells longer than any of a spreadsheet are errors that name the file, the row and the column. A quote that is not closed does not
// take the rest of the file into memory.
func TestLongCells(t *testing.T) {
	long := strings.Repeat("1", 2<<20)
	for name, c := range map[string]struct{ text, says string }{
		"header":     {"VM,Memory," + long + "\na,1,2\n", "vInfo.csv: row 1, column 3: "},
		"cell":       {"VM,Memory\na,1\nb," + long + "\n", "vInfo.csv: row 3, column 2: "},
		"columns":    {"VM,Memory\na" + strings.Repeat(",", maxColumns) + "\n", "vInfo.csv: row 2, column 16385: "},
		"open quote": {"VM,Memory\na,1\nb,\"" + strings.Repeat("c,2\n", 64<<20/4), "vInfo.csv: row 3: it is longer than 16 MiB; a quote may not be closed"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "vInfo.csv")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			tables := OpenTables(t.Context(), []string{"vInfo"}, map[string]string{"vInfo": path}, DefaultLimits)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := tables.Rows("vInfo", func(*Row) error { return nil })
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, c.says)
			require.Less(t, len(err.Error()), 300)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10*maxRow))
		})
	}
	require.NoError(t, ReadCSV(io.MultiReader(strings.NewReader("VM,Notes\n"), strings.NewReader("a,"+long[:maxText]+"\n")), func(*Row) error { return nil }))
}

// A workbook has the same limit.
func TestLongCellsOfWorkbooks(t *testing.T) {
	w, err := opened(t, minimal(`<worksheet><sheetData><row><c><v>1</v></c></row><row><c/><c t="inlineStr"><is><t>`+strings.Repeat("1", 2<<20)+
		`</t></is></c></row></sheetData></worksheet>`), DefaultLimits)
	require.NoError(t, err)
	err = w.Rows("vInfo", func(*Row) error { return nil })
	require.ErrorContains(t, err, "sheet vInfo, row 2: ")
	require.ErrorContains(t, err, "a text is longer than a cell can be")
}
