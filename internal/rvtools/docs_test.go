package rvtools

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed returns the lines of the table in docs/rvtools.md that the columns of a sheet need.
func tableLines[O any](sheet string, columns []column[O]) (lines []string) {
	var names []string
	facts := map[string][]string{}
	for _, c := range columns {
		if facts[c.name] == nil {
			names = append(names, c.name)
		}
		for _, f := range c.facts {
			facts[c.name] = append(facts[c.name], "`"+f+"`")
		}
	}
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("| %s | %s | %s |", sheet, name, strings.Join(facts[name], ", ")))
	}
	return lines
}

func allLines() (lines []string) {
	lines = append(lines, tableLines("vInfo", infoColumns)...)
	lines = append(lines, tableLines("vCPU", cpuColumns)...)
	lines = append(lines, tableLines("vMemory", memoryColumns)...)
	lines = append(lines, tableLines("vDisk", diskColumns)...)
	lines = append(lines, tableLines("vNetwork", vnicColumns)...)
	lines = append(lines, tableLines("vHost", hostColumns)...)
	lines = append(lines, tableLines("vNIC", pnicColumns)...)
	lines = append(lines, tableLines("vHBA", hbaColumns)...)
	lines = append(lines, tableLines("vSC_VMK", vmkColumns)...)
	lines = append(lines, tableLines("vSwitch", vswitchColumns)...)
	lines = append(lines, tableLines("dvSwitch", dvswitchColumns)...)
	lines = append(lines, tableLines("vMultiPath", lunColumns)...)
	lines = append(lines, tableLines("vCluster", clusterColumns)...)
	lines = append(lines, tableLines("vRP", poolColumns)...)
	return append(lines, tableLines("vDatastore", datastoreColumns)...)
}

// TestTheDocsListEveryColumn compares the table of columns in docs/rvtools.md with the code.
func TestTheDocsListEveryColumn(t *testing.T) {
	page, err := os.ReadFile("../../docs/rvtools.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| sheet | column | fact |\n|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	require.Equal(t, strings.Join(allLines(), "\n"), table)
}
