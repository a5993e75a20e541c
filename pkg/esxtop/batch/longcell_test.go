package batch

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// A cell of a million characters is an error or a reported row or field, named by its place. It takes memory in proportion to the file.
func TestCellsOfAMillionCharacters(t *testing.T) {
	const head = `"(PDH-CSV 4.0) (UTC)(0)","\\h\Memory\Memory Overcommit (1 Minute Avg)","\\h\Physical Cpu(0)\% Util Time"`
	long := strings.Repeat("1", 1<<20)
	row := func(second, cell string) string {
		return "\n\"11/28/2026 00:00:" + second + "\",\"" + cell + "\",\"2\""
	}
	for name, c := range map[string]struct {
		text   string
		rounds int
		says   string
	}{
		"header":     {head + `,"\\h\` + long + `"` + row("00", "0.1"), 0, "field 4 of the header is longer than 64 KiB"},
		"value":      {head + row("00", "0.1") + row("05", long) + row("10", "0.1"), 3, `1 field skipped that are not numbers, first line 3, column 2: "1111`},
		"time":       {head + row("00", "0.1") + "\n\"" + long + "\",\"0.1\",\"2\"" + row("10", "0.1"), 2, `row 3: its time is "\"1111`},
		"fields":     {head + row("00", "0.1") + row("05", "0.1") + strings.Repeat(`,"1"`, 1<<20) + row("10", "0.1"), 2, "row 3: it has 1048579 of 3 fields, dropped"},
		"open quote": {head + row("00", "0.1") + "\n\"11/28/2026 00:00:05\",\"" + long + row("10", "0.1"), 2, "row 3: "},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rounds, says := readHostile(c.text)
			runtime.ReadMemStats(&after)
			require.Equal(t, c.rounds, rounds, says)
			require.Contains(t, says, c.says)
			require.Less(t, len(says), 1000)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		})
	}
}

// readHostile returns the number of rounds in a file, and the error and the report.
func readHostile(text string) (rounds int, says string) {
	r, err := NewReader(strings.NewReader(text), esxtop.AllObjects)
	for err == nil {
		if _, err = r.Next(); err == nil {
			rounds++
		}
	}
	if !errors.Is(err, io.EOF) {
		says = err.Error()
	}
	if r != nil {
		says += strings.Join(r.Report(), "\n")
	}
	return rounds, says
}
