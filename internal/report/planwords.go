package report

import (
	"strings"
	"time"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// addressText returns a setting as rules write it, and its owner within the target.
func addressText(a tuning.Address) string {
	device := a.Device
	if a.Label != "" {
		device = a.Label
	}
	if device == "" {
		return a.Setting
	}
	return a.Setting + " of " + device
}

func fromTo(c *tuning.Change) string {
	return valueText(c.Address, c.Before) + " → " + valueText(c.Address, c.After)
}

// valueText distinguishes an unset setting from an empty one, and adds the unit of a number.
func valueText(a tuning.Address, f inventory.Fact[inventory.Value]) string {
	if _, state, _ := f.Get(); state == inventory.StateAbsent {
		return "unset"
	}
	return wording.FactText(f, func(v inventory.Value) string {
		setting, _ := inventory.LookupSetting(a.Setting)
		unit := setting.Kind.Unit()
		switch {
		case unit != "" && v.Text == "-1":
			return "no limit"
		case unit != "":
			return strings.TrimSpace(wording.Plain(v.Text) + " " + unit)
		}
		return wording.Plain(v.Text)
	})
}

// activationText describes how a change takes effect.
func activationText(a inventory.Activation) string {
	meaning := map[inventory.Activation]string{
		inventory.ActivationLive:         "takes effect at once",
		inventory.ActivationNextPowerOn:  "takes effect when the VM is powered on",
		inventory.ActivationPowerCycle:   "takes effect after a power cycle of the VM",
		inventory.ActivationPowerOff:     "the VM must be off",
		inventory.ActivationDriverReload: "takes effect when the driver is reloaded, which needs a host reboot",
		inventory.ActivationHostReboot:   "takes effect after a host reboot",
		inventory.ActivationManual:       "manual only",
	}[a]
	return string(a) + ", " + meaning
}

// undoText describes how a change is undone.
func undoText(c *tuning.Change) string {
	if c.Inverse.Kind == inventory.InverseNone {
		return strings.TrimSuffix("cannot be undone: "+c.Inverse.About, ": ")
	}
	var all []string
	for _, a := range c.Inverse.Write {
		what := "set to " + valueText(a.Address, a.Value)
		if _, state, _ := a.Value.Get(); state == inventory.StateAbsent {
			what = "removed"
		}
		if a.Key() != c.Key() {
			what = addressText(a.Address) + " " + what
		}
		all = append(all, what)
	}
	s := strings.Join(all, ", ")
	if c.Inverse.Kind == inventory.InverseEquivalent {
		s += " (equivalent)"
	}
	if c.Inverse.About != "" {
		s += ": " + c.Inverse.About
	}
	return s
}

func join(words []string) string { return strings.Join(words, ", ") }

// timeText formats a time; the zero time is "".
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
