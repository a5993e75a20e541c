package advice

import (
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Waiting is a change that was written for a rule and is not in force yet.
type Waiting struct {
	Rule    string
	VCenter string // the endpoint's instance UUID, or its name
	// Kind, ID and Path identify the host or VM that was written to. Other objects have no pending changes.
	Kind     inventory.Scope
	ID, Path string
	// Object is the path of the object that failed the rule, if it is not the host or VM itself, such as one of its
	// NICs.
	Object     string
	Activation inventory.Activation // what brings it into force
	Since      time.Time            // when it was written, by vperf's clock
	Booted     time.Time            // the host's or VM's start time at that moment, by the server's clock; zero if unknown
	Run        string               // the run that wrote it
}

// words says what is needed, and since when.
func (w Waiting) words() string {
	what := strings.ReplaceAll(string(w.Activation), "-", " ")
	switch w.Activation {
	case inventory.ActivationNextPowerOn, inventory.ActivationPowerOff:
		what = "next power-on"
	case inventory.ActivationDriverReload:
		what = "driver reload, so host reboot"
	}
	s := what + ", written " + w.Since.Format("2006-01-02 15:04")
	if w.Run != "" {
		s += " by run " + w.Run
	}
	return s
}

// about reports whether the change was written for this finding. For an object below the host or VM, the id of the host
// or VM decides, because its name or path may have changed.
func (w Waiting) about(f *Finding, v *inventory.VCenter) bool {
	if w.Rule != f.Rule.ID || v == nil || w.VCenter != v.ID && w.VCenter != v.Name {
		return false
	}
	if w.Object == "" || w.Object == w.Path {
		return f.Object.Kind == w.Kind && f.Object.ID == w.ID
	}
	if device, below := strings.CutPrefix(w.Object, w.Path+"/"); below {
		return f.Object.ID == w.ID+"/"+device
	}
	return f.Object.Path == w.Object
}

// inForce reports whether a host or VM was started after the change was written. It compares with the boot time at the
// write, because the clocks of two machines differ. If a time is unknown, it returns false.
func (w Waiting) inForce(s *subject) bool {
	var booted inventory.Fact[time.Time]
	switch o := s.vars.Get(w.Kind).(type) {
	case *inventory.Host:
		if o.ID == w.ID {
			booted = o.BootTime
		}
	case *inventory.VM:
		if o.ID == w.ID {
			booted = o.BootTime
		}
	}
	at, known := booted.Value()
	if w.Booted.IsZero() {
		return known && at.After(w.Since)
	}
	return known && at.After(w.Booted)
}

// pend marks a finding as pending if its change was written and is not in force. A pass becomes a fail until then,
// because the value that was read is not yet in force. A fail is pending if its rule has nothing more to write;
// otherwise somebody has reverted the change.
func (r *compiled) pend(f *Finding, s *subject, waiting []Waiting) {
	if f.Outcome != Pass && (f.Outcome != Fail || slices.ContainsFunc(f.Remedies, changesSomething)) {
		return
	}
	var words []string
	for _, w := range waiting {
		if w.about(f, vcenterOf(s)) && !w.inForce(s) && !slices.Contains(words, w.words()) {
			words = append(words, w.words())
		}
	}
	if len(words) == 0 {
		return
	}
	f.Pending, f.Remedies = strings.Join(words, "; "), nil
	if f.Outcome == Pass {
		f.Outcome = Fail
		a := &activation{subject: s, params: r.params, vendors: r.vendors}
		r.measure(f, a)
		f.open = f.open || a.open
	}
}

// changesSomething reports whether the remedy's value is not set yet.
func changesSomething(c Change) bool {
	from, known := c.From.Value()
	to, proposed := c.To.Value()
	return !known || !proposed || from.Text != to.Text
}

func vcenterOf(s *subject) *inventory.VCenter {
	v, _ := s.vars.Get(inventory.ScopeVCenter).(*inventory.VCenter)
	return v
}
