package diff

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Run is a run of vperf that changed a setting.
type Run struct {
	ID    string    `json:"id"`
	User  string    `json:"user"`
	When  time.Time `json:"when"` // by the clock of the machine that ran vperf
	Rules []string  `json:"rules,omitempty"`
	// Since is true if the setting has another value now than the run left: somebody else has changed it since.
	Since bool `json:"changedSince,omitempty"`
}

// Event is an entry in the server's log of events about an object.
type Event struct {
	Server string         `json:"-"` // the name of the endpoint
	ID     string         `json:"-"` // of the managed object
	About  inventory.Role `json:"-"` // what can have changed: setting, placement or state; members if the object came or went
	When   time.Time      `json:"when"`
	User   string         `json:"user,omitempty"` // "" if the server names none
	Class  string         `json:"class"`          // such as VmReconfiguredEvent
	Text   string         `json:"text"`           // as the server words it; untrusted
}

// skew is the tolerated difference of the clocks of this machine and a server.
const skew = 5 * time.Minute

// CreditRuns names, for each changed setting, the last run of vperf that wrote it between the two sides.
func (d *Diff) CreditRuns(runs []*tuning.Run) {
	byTarget := map[string][]written{}
	for _, r := range runs {
		for i := range r.Results {
			w := written{r, &r.Results[i]}
			if !w.left() || w.at().Before(d.Old.TakenAt.Add(-skew)) || w.at().After(d.New.TakenAt.Add(skew)) {
				continue
			}
			key := w.result.Target.Key()
			byTarget[key] = append(byTarget[key], w)
		}
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		var last written
		for _, w := range byTarget[string(c.owner.Kind)+":"+c.owner.ID] {
			if w.on(c) && (last.run == nil || w.at().After(last.at())) {
				last = w
			}
		}
		if last.run != nil {
			c.Run = &Run{ID: last.run.ID, User: last.run.User, When: last.at().UTC(), Rules: last.result.Rules, Since: !last.remains(c)}
		}
	}
}

// written is a setting that a run wrote.
type written struct {
	run    *tuning.Run
	result *tuning.Result
}

func (w written) at() time.Time { return w.result.Since }

// left reports whether the run wrote to the server, or may have.
func (w written) left() bool {
	switch w.result.State {
	case tuning.StateUntouched, tuning.StateSame, tuning.StateDeferred, tuning.StateFailed:
		return false
	}
	return true
}

// on reports whether the run wrote the setting that changed, on a server of the same identity.
func (w written) on(c *Change) bool {
	s, err := inventory.LookupSetting(w.result.Setting)
	if err != nil || s.Kind.Fact() != c.Fact || !w.server(c) {
		return false
	}
	if c.Key != "" && !strings.EqualFold(s.Key, c.Key) {
		return false
	}
	return w.result.Device == "" || slices.Contains(c.devices, w.result.Device)
}

// server compares the run's server with the endpoint of the change, which is its UUID, or the name of an ESXi host.
func (w written) server(c *Change) bool {
	root, _, _ := strings.Cut(c.Address, "/")
	return root == url.PathEscape(w.run.Server.UUID) || root == url.PathEscape(w.run.Server.Name)
}

// remains reports whether the setting has the value that the run left.
func (w written) remains(c *Change) bool {
	s, err := inventory.LookupSetting(w.result.Setting)
	if err != nil || c.now == nil {
		return true
	}
	left, leftState, _ := w.result.Now.Get()
	if leftState == inventory.StateUnread {
		left, leftState, _ = w.result.After.Get()
	}
	is, isState, _ := s.Current(c.now).Get()
	return leftState == isState && left.Text == is.Text ||
		(leftState == inventory.StateAbsent || left.Text == "") && (isState == inventory.StateAbsent || is.Text == "")
}

// CreditEvents adds the server's events about each changed object, oldest first. Events of the object are no proof that they made
// the change.
func (d *Diff) CreditEvents(events []Event) {
	type object struct{ server, id string }
	of := map[object][]Event{}
	for _, e := range events {
		if e.When.Before(d.Old.TakenAt) || e.When.After(d.New.TakenAt) {
			continue
		}
		e.When = e.When.UTC()
		key := object{e.Server, e.ID}
		of[key] = append(of[key], e)
	}
	for _, list := range of {
		slices.SortStableFunc(list, func(a, b Event) int { return cmp.Or(a.When.Compare(b.When), strings.Compare(a.Class, b.Class)) })
	}
	for i := range d.Changes {
		if c := &d.Changes[i]; c.Run == nil || c.Run.Since {
			c.Events = about(of[object{c.owner.VCenter, c.owner.ID}], c.Role)
		}
	}
	for _, list := range [][]Object{d.Came, d.Went} {
		for i := range list {
			list[i].Events = about(of[object{list[i].VCenter, list[i].ID}], inventory.RoleMembers)
		}
	}
}

// about selects the events that can explain a change of the role.
func about(all []Event, role inventory.Role) (some []Event) {
	if role == inventory.RolePlatform { // hardware of a VM is configured
		role = inventory.RoleSetting
	}
	for _, e := range all {
		if e.About == role {
			some = append(some, e)
		}
	}
	return some
}
