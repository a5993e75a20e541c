package advice_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// TestQuestionsAreListed: every question that a rule names is in the list of open questions, which names the rule.
func TestQuestionsAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/open-questions.md")
	require.NoError(t, err)
	listed := map[string]map[string]bool{}
	for _, section := range regexp.MustCompile(`(?m)^## `).Split(string(text), -1)[1:] {
		id := regexp.MustCompile(`^[a-z-]+`).FindString(section)
		require.NotEmpty(t, id)
		require.Contains(t, section, "- A probe shows: ", id)
		listed[id] = map[string]bool{}
		line := regexp.MustCompile(`(?m)^- Rules: .*$`).FindString(section)
		for _, rule := range regexp.MustCompile("`([a-z0-9-]+)`").FindAllStringSubmatch(line, -1) {
			listed[id][rule[1]] = true
		}
		require.NotEmpty(t, listed[id], id)
	}
	require.Len(t, listed, 10)
	library, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	for _, r := range library.Rules() {
		for _, id := range r.Questions {
			require.Contains(t, listed, id, "rule %s names a question that docs/open-questions.md does not have", r.ID)
			require.True(t, listed[id][r.ID], "docs/open-questions.md does not name rule %s at %s", r.ID, id)
			delete(listed[id], r.ID)
		}
	}
	for id, left := range listed {
		require.Empty(t, left, "these rules do not name question %s", id)
	}
}
