package advice

import (
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Waiting is a change that was written because of a rule and is not in force yet.
type Waiting struct {
	Rule    string
	VCenter string // the endpoint's instance UUID, or the name it is called by
	// Kind, ID and Path are of the host or VM that was written to. Others have nothing to wait for.
	Kind     inventory.Scope
	ID, Path string
	// Object is the path of what failed the rule, where that is not the host or VM itself, such as one of its NICs.
	Object     string
	Activation inventory.Activation // what it waits for
	Since      time.Time            // when it was written, by the clock of who wrote
	Booted     time.Time            // when the host or VM had been started then, by the server's clock; zero where nobody knows
	Run        string               // which wrote it
}

// words say what has to happen, and since when.
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

// about reports whether the change was written because of this finding. Of an object below what was written to the id
// decides, since a host or a VM may have been renamed or moved.
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

// inForce reports a host or VM that was started after the change was written: later than it had been then, since clocks of
// two machines differ. One of which that is not known may not have been.
func (w Waiting) inForce(s *subject) bool {
	var booted inventory.Fact[time.Time]
	switch o := s.vars[w.Kind].(type) {
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

// pend marks a finding whose cure was written and waits. A pass stays a fail until then: what was read is what will be, not
// what is. A fail waits when its rule has nothing more to write; else somebody took the change back.
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

// changesSomething reports a remedy whose value is not there yet.
func changesSomething(c Change) bool {
	from, known := c.From.Value()
	to, proposed := c.To.Value()
	return !known || !proposed || from.Text != to.Text
}

func vcenterOf(s *subject) *inventory.VCenter {
	v, _ := s.vars[inventory.ScopeVCenter].(*inventory.VCenter)
	return v
}
