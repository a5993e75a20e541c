package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
)

// TestTheRuleInContributing follows CONTRIBUTING as far as a file of one's own goes: its rule comes out as its examples say,
// is complete, and the demo fleet shows it failing and passing, as the library requires of every rule.
func TestTheRuleInContributing(t *testing.T) {
	proof.NotRaced(t)
	serveDemo(t)
	file := filepath.Join(t.TempDir(), "clock-low.yaml")
	require.NoError(t, os.WriteFile(file, ruleInContributing(t), 0o600))

	code, _, stderr := vperf(t, "rules", "test", file)
	require.Zero(t, code, stderr)
	code, _, stderr = vperf(t, "rules", "lint", "--strict", file)
	require.Zero(t, code, stderr)

	code, stdout, stderr := vperf(t, "audit", "--rules", file, "--rule", "clock-low", "--all", "-o", "json")
	require.Zero(t, code, stderr)
	var audit struct {
		Findings []struct {
			Outcome advice.Outcome `json:"outcome"`
			Count   int            `json:"count"`
		} `json:"findings"`
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &audit))
	seen := map[advice.Outcome]int{}
	for _, f := range audit.Findings {
		seen[f.Outcome] += f.Count
	}
	require.Positive(t, seen[advice.Fail])
	require.Positive(t, seen[advice.Pass])
	require.Zero(t, seen[advice.Unknown])
}

func ruleInContributing(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	return []byte(strings.TrimPrefix(strings.ReplaceAll(string(m[1]), "\n   ", "\n"), "   "))
}
