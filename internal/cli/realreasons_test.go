package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reason is why lines of the recorded vCenter's golden are right: one finding, or one outcome of several rules.
type reason struct {
	finding string // RULE fail: SEVERITY OBJECT
	outcome string
	rules   []string
	why     string
}

func readReasons(t *testing.T) (list []reason) {
	t.Helper()
	text, err := os.ReadFile("testdata/recorded-vcenter-reasons.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		require.NotEmpty(t, parts[len(parts)-1], line)
		switch len(parts) {
		case 2:
			list = append(list, reason{finding: parts[0], why: parts[1]})
		case 3:
			list = append(list, reason{outcome: parts[0], rules: strings.Split(parts[1], ", "), why: parts[2]})
		default:
			require.Fail(t, "a reason has two or three parts", line)
		}
	}
	return list
}

// digestLine matches a line of a digest: the count, the rule, the outcome, and the text after a colon.
var digestLine = regexp.MustCompile(`^ *\d+ (\S+) ([a-z-]+)(: .*)?$`)

// covers reports that the reason is for the line of a digest. Findings are covered one by one.
func (r reason) covers(line []string) bool {
	rule, outcome, rest := line[1], line[2], line[3]
	if outcome == "fail" {
		return strings.HasPrefix(rule+" "+outcome+rest, r.finding+" {") && r.finding != ""
	}
	return r.outcome == outcome && slices.Contains(r.rules, rule)
}

// TestEveryRecordedLineHasAReason: every line about the recorded vCenter has a reason, and every reason has a line.
func TestEveryRecordedLineHasAReason(t *testing.T) {
	text, err := os.ReadFile("testdata/recorded-vcenter.txt")
	require.NoError(t, err)
	reasons := readReasons(t)
	used := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := digestLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		require.NotNil(t, m, line)
		if m[2] == "fail" && m[3] == "" {
			continue // the sum of the findings below it
		}
		at := slices.IndexFunc(reasons, func(r reason) bool { return r.covers(m) })
		if at < 0 && m[2] == "pass" {
			continue // no line is about it, and no unread fact passes
		}
		if at < 0 {
			t.Errorf("no reason for: %s", line)
			continue
		}
		used[reasons[at].finding] = true
		used[m[1]+" "+m[2]] = true
	}
	for _, r := range reasons {
		if r.finding != "" {
			require.True(t, used[r.finding], "nothing needs the reason for %s", r.finding)
		}
		for _, rule := range r.rules {
			require.True(t, used[rule+" "+r.outcome], "nothing needs the reason for %s %s", rule, r.outcome)
		}
	}
}
