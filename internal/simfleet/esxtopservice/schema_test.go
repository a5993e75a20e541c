package esxtopservice

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// schemaFields returns the fields of each kind of row in a schema.
func schemaFields(counterInfo string) map[string][]string {
	fields := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(counterInfo) + "\n") {
		parts := strings.Split(strings.Trim(line, "|\n"), "|")
		fields[parts[0]] = parts[1:]
	}
	return fields
}

// checkSchema requires the fields of the schema in each row, and counts rows by kind.
func checkSchema(t *testing.T, counterInfo, text string) map[string]int {
	t.Helper()
	fields := schemaFields(counterInfo)
	_, values, ok := strings.Cut(text, "==COUNTER-VALUE==\n")
	require.True(t, ok)
	seen := map[string]int{}
	for line := range strings.Lines(values) {
		require.True(t, strings.HasSuffix(line, "|\n"), line)
		parts := strings.Split(strings.TrimSuffix(line[1:], "|\n"), "|")
		kind := fields[parts[0]]
		require.NotNil(t, kind, line)
		if len(kind) != len(parts)-1 {
			require.Len(t, parts[1:], len(kind), line)
		}
		seen[parts[0]]++
	}
	return seen
}
