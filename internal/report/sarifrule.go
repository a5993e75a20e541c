package report

import (
	"io/fs"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

func ruleSARIF(r *advice.Rule) sarifRule {
	out := sarifRule{
		ID: r.ID, Short: sarifMultiformat{Text: sarifText(r.Title)}, Full: sarifMultiformat{Text: sarifText(wording.OneLine(r.Why))},
		Help:       sarifMultiformat{Text: sarifText(helpText(r)), Markdown: sarifBraces.Replace(helpMarkdown(r))},
		Default:    sarifConfiguration{severitySARIF(r.Severity)},
		Properties: map[string]any{"category": r.Category},
	}
	if physicalSARIF(r) != nil {
		out.HelpURI = wording.Docs(r)
	}
	return out
}

func helpText(r *advice.Rule) string {
	parts := []string{wording.OneLine(r.Why)}
	for _, f := range fixes(r) {
		parts = append(parts, "Fix: "+strings.ReplaceAll(f, "`", ""))
	}
	for _, n := range notes(r) {
		parts = append(parts, "Note: "+strings.ReplaceAll(n, "`", ""))
	}
	if r.Tradeoff != "" {
		parts = append(parts, "Trade-off: "+wording.OneLine(r.Tradeoff))
	}
	return strings.Join(parts, "\n")
}

// helpMarkdown returns the help text with its code marked; the user trusts the text of rule files.
func helpMarkdown(r *advice.Rule) string {
	parts := []string{wording.OneLine(r.Why)}
	if list := append(fixes(r), notes(r)...); len(list) > 0 {
		parts = append(parts, "**Fix**", "- "+strings.Join(list, "\n- "))
	}
	if r.Tradeoff != "" {
		parts = append(parts, "**Trade-off:** "+wording.OneLine(r.Tradeoff))
	}
	return strings.Join(parts, "\n\n")
}

// physicalSARIF returns the rule's file in vperf's repository, because viewers need a file and a host has none. It returns
// nil for a user's own rule.
func physicalSARIF(r *advice.Rule) *sarifPhysical {
	path := string(r.Category) + "/" + r.ID + ".yaml"
	if _, err := fs.Stat(rules.FS, path); err != nil {
		return nil
	}
	return &sarifPhysical{sarifArtifact{"rules/" + path}, sarifRegion{StartLine: 1}}
}
