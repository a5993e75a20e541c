package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// show is a view of advice with indexes that several sections use.
type show struct {
	*view.View

	hosts map[key]*inventory.Host
	vms   map[key]*inventory.VM
	// anchors maps a host to the id of its section: a number, because others choose the names.
	anchors map[key]string
	// worst is the worst severity of the failed findings of each object and its devices.
	worst map[key]advice.Severity
	fails map[key]int
	rules map[string]*advice.Rule
	// rooms are the headroom figures of each object, by id.
	rooms map[key]map[string]efficiency.Figure
	// failed caches the sorted findings of failing.
	failed []*advice.Finding
}

// key identifies an object across all servers.
type key struct {
	kind        inventory.Scope
	vcenter, id string
}

func keyOf(r inventory.Ref) key { return key{r.Kind, r.VCenter, r.ID} }

func newShow(v *view.View) *show {
	s := &show{
		View: v, hosts: map[key]*inventory.Host{}, vms: map[key]*inventory.VM{},
		anchors: map[key]string{}, worst: map[key]advice.Severity{}, fails: map[key]int{}, rules: map[string]*advice.Rule{},
		rooms: map[key]map[string]efficiency.Figure{},
	}
	for _, v := range v.Snapshot.VCenters {
		for _, h := range v.Hosts {
			k := keyOf(h.Ref())
			s.hosts[k], s.anchors[k] = h, "host-"+strconv.Itoa(len(s.anchors)+1)
		}
		for _, vm := range v.VMs {
			s.vms[keyOf(vm.Ref())] = vm
		}
	}
	s.judge()
	s.addRules()
	s.addRooms()
	return s
}

// judge computes the worst severity of each object.
func (s *show) judge() {
	for _, f := range s.Result.Findings {
		if f.Outcome != advice.Fail {
			continue
		}
		k := ownerOf(f.Object)
		if was, ok := s.worst[k]; !ok || f.Severity.AtLeast(was) {
			s.worst[k] = f.Severity
		}
		s.fails[k]++
	}
}

func (s *show) addRules() {
	for i := range s.Result.Findings {
		if r := s.Result.Findings[i].Rule; r != nil {
			s.rules[r.ID] = r
		}
	}
	for _, r := range s.Rules {
		s.rules[r.ID] = r
	}
}

// ownerOf returns the object itself, or the owner of a device.
func ownerOf(r inventory.Ref) key {
	k := keyOf(r)
	switch r.Kind {
	case inventory.ScopeVNIC, inventory.ScopeVDisk:
		k.kind = inventory.ScopeVM
	case inventory.ScopePNIC, inventory.ScopeVMKNIC, inventory.ScopeHBA, inventory.ScopeLUN:
		k.kind = inventory.ScopeHost
	case inventory.ScopeSwitch:
		if !strings.Contains(r.ID, "/") {
			return k
		}
		k.kind = inventory.ScopeHost
	}
	k.id, _, _ = strings.Cut(k.id, "/")
	return k
}

// object is an object as the page names it.
type object struct {
	Kind string
	Name string
	Link string // to the object's details on the page, or ""
	Host string // of the object, if it is not the host itself
}

func (s *show) object(r inventory.Ref) object {
	o := object{Kind: wording.PageKind(r.Kind), Name: clean(r.Name)}
	h := s.hostOf(r)
	if h == nil {
		return o
	}
	o.Link = s.linkTo(h)
	owner := ownerOf(r)
	if owner.kind != inventory.ScopeHost {
		o.Host = clean(h.Name)
	}
	if owner != keyOf(r) { // a device is named after its owner and itself
		name := h.Name
		if vm := s.vms[owner]; vm != nil {
			name = vm.Name
			o.Kind += " of " + clean(name)
		} else {
			o.Host = clean(name)
		}
		o.Name = clean(strings.TrimPrefix(r.Name, name+"/"))
	}
	return o
}

// linkTo returns the anchor of a host's drawing.
func (s *show) linkTo(h *inventory.Host) string { return s.anchors[keyOf(h.Ref())] }

// hostOf returns the host of an object, or the object itself if it is a host, or nil.
func (s *show) hostOf(r inventory.Ref) *inventory.Host {
	k := ownerOf(r)
	if h := s.hosts[k]; h != nil {
		return h
	}
	if vm := s.vms[k]; vm != nil {
		return vm.Host()
	}
	return nil
}

// limit returns the maximum length of a list: unlimited with --all.
func (s *show) limit(n int) int {
	if s.Whole {
		return int(^uint(0) >> 1)
	}
	return n
}

// failing returns the failed findings, worst first, without diagnoses. Callers must not change the list.
func (s *show) failing() []*advice.Finding {
	if s.failed != nil {
		return s.failed
	}
	var out []*advice.Finding
	for _, f := range s.Result.Findings {
		if f.Outcome == advice.Fail && f.Rule.Category != advice.CategoryDiagnosis {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *advice.Finding) int { return rank(a.Severity) - rank(b.Severity) })
	s.failed = out
	return out
}

func isOff(vm *inventory.VM) bool {
	state := valueOf(vm.PowerState)
	return state != "" && state != "poweredOn"
}

func isDown(n *inventory.PNIC) bool {
	speed, ok := n.LinkMbps.Value()
	return ok && speed == 0
}

// Maximum lengths of lists in a recommendation: further symptoms are like the first.
const (
	mostTodos    = 30
	mostBrief    = 100
	mostSymptoms = 5 // of one rule
	mostCauses   = 6
	mostFixes    = 6
	mostUnseen   = 8
	mostAccepted = 8
	openTodos    = 1
)

// clock formats a time of the measurement, without the date if the measurement is within one day.
func (s *show) clock(t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case !s.From.IsZero() && s.From.UTC().Format(time.DateOnly) == s.To.UTC().Format(time.DateOnly):
		return t.UTC().Format(time.TimeOnly)
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}
