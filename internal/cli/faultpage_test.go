package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
)

const faultPage = "../../docs/faults.md"

// manualPart begins the part of the page that is not generated here. Each of its rows names the test that proves it.
const manualPart = "\n## Damaged answers, files and journals\n"

// comparesWithPage compares the results of cells with the page, and with -update writes the page if it has all of them.
func comparesWithPage(t *testing.T, cells []faultCell, results map[string]string) {
	t.Helper()
	page, err := os.ReadFile(faultPage)
	require.NoError(t, err)
	if len(results) == len(faultCells()) {
		_, manual, found := strings.Cut(string(page), manualPart)
		require.True(t, found)
		golden.Equal(t, faultPage, []byte(faultText(cells, results)+manualPart+manual))
		return
	}
	for _, c := range cells {
		if results[c.String()] == "" {
			continue // -run leaves it out
		}
		_, section, found := strings.Cut(string(page), "\n### "+faultTitles[c.phase]+"\n")
		require.True(t, found, c)
		_, row, found := strings.Cut(section, "\n| "+c.row.name+" |")
		require.True(t, found, c)
		row, _, _ = strings.Cut(row, "\n")
		columns := faultColumns()
		at := slices.IndexFunc(columns, func(f faultColumn) bool { return f.name == c.column.name })
		require.Equal(t, results[c.String()], strings.TrimSpace(strings.Split(row, "|")[at]), "%s: make golden rewrites the page", c)
	}
}

// faultTitles are the headings of the page.
var faultTitles = map[faultPhase]string{
	connecting: "Every attempt to connect", oneRead: "One read of the inventory", allReads: "Every read of the inventory from some point on",
	acting: "Calls to hosts, for counters, and changes", meanwhile: "The fleet changes while the command runs",
}

// faultText is the page.
func faultText(cells []faultCell, results map[string]string) string {
	var b strings.Builder
	b.WriteString(faultIntroduction)
	for _, phase := range everyPhase {
		fmt.Fprintf(&b, "\n### %s\n\n| fault |", faultTitles[phase])
		columns := faultColumns()
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", c.name)
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
		for _, row := range faultRows {
			if !slices.Contains(row.phases, phase) {
				continue
			}
			fmt.Fprintf(&b, "| %s |", row.name)
			for i := range columns {
				fmt.Fprintf(&b, " %s |", results[faultCell{&columns[i], row, phase}.String()])
			}
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, faultEnd, len(cells))
	return b.String()
}

const faultIntroduction = `# When the network or the server misbehaves

A test puts a proxy between vperf and the demo fleet. The proxy misbehaves, and the test runs each command through it. This page
is generated from the results.

Every run of the test has to end in time, without a crash, and without the password in its output or files. A command that fails
names the server and the cause. A command that reads never turns a result into pass or fail because of a fault: the result is
unknown or missing, and the output says why. No change is made without a record in the journal, and a rollback restores all
values exactly.

Each call has a limit: 2 minutes, or 20 seconds for calls that any server answers at once. An answer may have 64 MiB.

## Results

Each cell is a word and the exit code ([all codes](exit-codes.md)). An exporter goes on, and a trial that goes on ends with the exit code
of its verdict, so these cells have no code.

| word | meaning |
|---|---|
| whole | the fault has no effect: the call was repeated, or the command does not depend on it |
| part | the result is shown without the data that could not be read, and says why |
| either | whole or part: it depends on the calls that are under way at that moment |
| ends | the command ends with an error and shows nothing, or changes nothing |
| refuses | vperf changes nothing, because it could not check whether it may |
| undone | the change did not take effect, or vperf reverted it |
| kept | the server has the change, and the journal knows it: ` + "`vperf rollback --last`" + ` reverts it, and the next command that writes restores what a trial left |
| down | the exporter serves ` + "`vperf_up 0`" + ` and no measured series; its landing page says why |
`

const faultEnd = `
Clocks that are wrong by the same time on the server and on the machine of vperf do not matter. If only the clock of that machine is
wrong or jumps, the server is ahead or behind, as in the rows above: vperf reads the server's time, and measures its own waits with a
clock that does not jump. A vCenter refuses a second host of the same name.

## How long it takes

` + "`vperf advise`" + ` gives up three minutes after the time that was asked for, and ` + "`vperf top -n`" + ` when no host has answered for three minutes. A
trial tries for ten minutes to restore the old values. The test shortens the limits of calls and of waiting for counters, and ends trials
that cannot restore anything with Ctrl-C.

## Repeating it

` + "```sh build\nmake prove-long\n```" + `

This runs all %d cells. ` + "`make prove`" + ` runs each command with each fault, in one of the phases. ` + "`make golden`" + ` rewrites this page.
`
