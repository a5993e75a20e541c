package exporter

import (
	"reflect"
	"sync"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// answersKept is how long a host's answers to per-host calls are kept. These facts change seldom, mostly with a
// restart; surveys every five minutes would otherwise make hundreds of such calls each time.
const answersKept = time.Hour

// answers are the hosts' answers to per-host calls, by host id.
type answers struct {
	mu   sync.Mutex
	kept map[string]hostAnswers
}

// hostAnswers are those of one host, as long as it is the one that was asked.
type hostAnswers struct {
	asked   time.Time
	booted  time.Time
	build   string
	facts   map[string]bool   // that it was asked for
	values  map[string]any    // by part and name; nil: it was not asked for that
	missing map[string]string // why the others are missing
}

// open are facts of a host that take a call to it, by part and name. A part that is driven in another way is another one.
func open(h *inventory.Host) map[string]inventory.Reader {
	all := map[string]inventory.Reader{}
	note := func(part string, of any) {
		v := reflect.ValueOf(of).Elem()
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if r, is := reflect.TypeAssert[inventory.Reader](v.Field(i).Addr()); is && takesACall(r) {
				all[part+" "+v.Type().Field(i).Name] = r
			}
		}
	}
	note("host", h)
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		driver, _ := n.Driver.Value()
		note("pnic "+n.Device+" "+driver, n)
	}
	hbas, _ := h.HBAs.Value()
	for _, b := range hbas {
		driver, _ := b.Driver.Value()
		note("hba "+b.Device+" "+driver, b)
	}
	luns, _ := h.LUNs.Value()
	for _, l := range luns {
		policy, _ := l.PathPolicy.Value()
		note("lun "+l.Device+" "+policy, l)
	}
	return all
}

func takesACall(r inventory.Reader) bool {
	_, state, reason := r.Raw()
	return state == inventory.StateUnread && reason == inventory.PerHost
}

// fill sets stored facts of hosts, and returns the hosts that have to be asked.
func (a *answers) fill(hosts []*inventory.Host, needs inventory.Needs, now time.Time) (ask []*inventory.Host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, k := range a.kept {
		if now.Sub(k.asked) >= 2*answersKept {
			delete(a.kept, id)
		}
	}
	for _, h := range hosts {
		if k, has := a.kept[h.ID]; !has || !k.fresh(now) || !k.answers(h, needs) {
			ask = append(ask, h)
		}
	}
	return ask
}

func (k hostAnswers) fresh(now time.Time) bool {
	return !now.Before(k.asked) && now.Sub(k.asked) < answersKept
}

// answers sets a host's stored facts, and reports whether they are complete. If not, it sets none.
func (k hostAnswers) answers(h *inventory.Host, needs inventory.Needs) bool {
	booted, known := h.BootTime.Value()
	build, _ := h.Build.Value()
	if !known || !booted.Equal(k.booted) || build != k.build {
		return false
	}
	for _, name := range needs.Facts() {
		if !k.facts[name] {
			return false
		}
	}
	gaps := open(h)
	for key := range gaps {
		if _, exists := k.values[key]; !exists {
			return false
		}
	}
	for key, to := range gaps {
		if from := k.values[key]; from != nil {
			reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from))
		}
	}
	return true
}

// keep stores a host's answers for the open facts. Missing facts are requested once more, because a call may have
// failed. If they are missing again for the same reason, that is the answer.
func (a *answers) keep(h *inventory.Host, gaps map[string]inventory.Reader, needs inventory.Needs, now time.Time) {
	booted, known := h.BootTime.Value()
	if !known {
		return
	}
	k := hostAnswers{asked: now, booted: booted, facts: map[string]bool{}, values: map[string]any{}, missing: map[string]string{}}
	k.build, _ = h.Build.Value()
	for _, name := range needs.Facts() {
		k.facts[name] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.kept[h.ID].missing
	for key, r := range gaps {
		_, state, reason := r.Raw()
		if takesACall(r) {
			k.values[key] = nil
			continue
		}
		if state == inventory.StateUnread {
			k.missing[key] = reason
		}
		if state != inventory.StateUnread || before[key] == reason {
			k.values[key] = reflect.ValueOf(r).Elem().Interface()
		}
	}
	if a.kept == nil {
		a.kept = map[string]hostAnswers{}
	}
	a.kept[h.ID] = k
}
