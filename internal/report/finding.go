package report

import (
	"fmt"
	"github.com/vperf/vperf/pkg/advice"
)

func remedy(f *advice.Finding, c advice.Change) string {
	where := ""
	if c.Object != f.Object {
		where = clean(c.Object.Name) + " "
	}
	to, ok := c.To.Value()
	if ok && to.Text == "" && c.Consent == advice.ConsentValue {
		return fmt.Sprintf("%s%s %s to a value you give (%s)", where, c.Setting, settingText(c.From), c.Activation)
	}
	if !ok {
		return fmt.Sprintf("%s%s, to a value that cannot be named: %s", where, c.Setting, settingText(c.To))
	}
	if !c.Setting.Kind.Applicable() {
		return fmt.Sprintf("%s%s %s to %s, by hand", where, c.Setting, settingText(c.From), settingText(c.To))
	}
	return fmt.Sprintf("%s%s %s to %s (%s%s)", where, c.Setting, settingText(c.From), settingText(c.To), c.Activation, consent(c.Consent))
}

// pendingText is what a finding waits for, or "".
func pendingText(f *advice.Finding) string {
	if f.Pending == "" {
		return ""
	}
	return "pending: " + clean(OneLine(f.Pending))
}
