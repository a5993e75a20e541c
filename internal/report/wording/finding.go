package wording

import (
	"fmt"

	"github.com/vperf/vperf/pkg/advice"
)

// Remedy describes a change that fixes a finding, and its requirements.
func Remedy(f *advice.Finding, c advice.Change) string {
	where := ""
	if c.Object != f.Object {
		where = Clean(c.Object.Name) + " "
	}
	to, ok := c.To.Value()
	if ok && to.Text == "" && c.Consent == advice.ConsentValue {
		return fmt.Sprintf("%s%s %s, needs --set (%s)", where, c.Setting, SettingText(c.From), c.Activation)
	}
	if !ok {
		return fmt.Sprintf("%s%s, value unknown: %s", where, c.Setting, SettingText(c.To))
	}
	if !c.Setting.Kind.Applicable() {
		return fmt.Sprintf("%s%s %s to %s, manual", where, c.Setting, SettingText(c.From), SettingText(c.To))
	}
	return fmt.Sprintf("%s%s %s to %s (%s%s)", where, c.Setting, SettingText(c.From), SettingText(c.To), c.Activation, Consent(c.Consent))
}

// PendingText describes what a finding is pending on, or returns "".
func PendingText(f *advice.Finding) string {
	if f.Pending == "" {
		return ""
	}
	return "pending: " + Clean(OneLine(f.Pending))
}
