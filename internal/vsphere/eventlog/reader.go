package eventlog

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// most is the number of events that a server returns at once (vSphere API reference, EventManager.QueryEvents). With that many, some
// are missing.
const most = 1000

// Occurrence is an event that matters.
type Occurrence struct {
	Time   time.Time // by the server's clock
	Effect Effect
	// Hosts are the ids of the hosts that it is about; a migration has two. Cluster is the id of the cluster of an event that is
	// about no single host. An event without either is about every host.
	Hosts   []string
	Cluster string
	Text    string // as the server words it; untrusted
}

// lateness is how much later than others an event may arrive: hosts send theirs to vCenter with a delay.
const lateness = 2 * time.Minute

// Reader reads events, each once. It must not be used by several goroutines at once.
type Reader struct {
	session *session.Session
	seen    map[int32]time.Time // when the events happened, by key, of those that a server returns again
	newest  time.Time
}

// NewReader returns a reader of the events of a server.
func NewReader(s *session.Session) *Reader { return &Reader{session: s, seen: map[int32]time.Time{}} }

// Since returns the events after a time that no earlier call has returned, oldest first, in one call to the server. Events may be older
// than those of the call before, because they can arrive late.
func (r *Reader) Since(ctx context.Context, after time.Time) ([]Occurrence, error) {
	manager := r.session.Client().ServiceContent.EventManager
	if manager == nil {
		return nil, fmt.Errorf("reading events: %s keeps none", r.session.Host())
	}
	if again := r.newest.Add(-lateness); again.After(after) {
		after = again
	}
	answer, err := methods.QueryEvents(ctx, r.session, &types.QueryEvents{This: *manager, Filter: types.EventFilterSpec{
		Time: &types.EventFilterSpecByTime{BeginTime: new(after)}, EventTypeId: filter(),
	}})
	if err != nil {
		return nil, fmt.Errorf("reading events of %s: %w", r.session.Host(), err)
	}
	var found []Occurrence
	for _, event := range answer.Returnval {
		if o, matters := occurrence(event); r.take(event.GetEvent()) && matters {
			found = append(found, o)
		}
	}
	r.forget()
	slices.SortStableFunc(found, func(a, b Occurrence) int { return a.Time.Compare(b.Time) })
	if len(answer.Returnval) >= most {
		found = append(found, Occurrence{
			Time: r.newest, Effect: Disturbs, Text: fmt.Sprintf("%d or more events at once: some were not read", most),
		})
	}
	return found, nil
}

// take remembers an event, and reports whether it is read for the first time.
func (r *Reader) take(e *types.Event) bool {
	_, again := r.seen[e.Key]
	r.seen[e.Key] = e.CreatedTime
	if e.CreatedTime.After(r.newest) {
		r.newest = e.CreatedTime
	}
	return !again
}

// forget drops the events that the server is not asked for again.
func (r *Reader) forget() {
	maps.DeleteFunc(r.seen, func(_ int32, at time.Time) bool { return at.Before(r.newest.Add(-lateness)) })
}

// filter lists the ids that the server is asked for.
func filter() []string {
	ids := []string{classAlarm, classTask}
	for _, of := range []map[string]Effect{effects, extended} {
		for id := range of {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func occurrence(event types.BaseEvent) (Occurrence, bool) {
	e := event.GetEvent()
	o := Occurrence{Time: e.CreatedTime, Effect: effectOf(event), Text: session.Plain(e.FullFormattedMessage)}
	if o.Text == "" {
		o.Text = wordsOf(reflect.TypeOf(event).Elem().Name())
		if e.Host != nil && e.Host.Name != "" {
			o.Text += ": " + session.Plain(e.Host.Name)
		}
	}
	if e.Host != nil {
		o.Hosts = append(o.Hosts, e.Host.Host.Value)
	}
	for _, h := range otherHosts(event) {
		if !slices.Contains(o.Hosts, h) {
			o.Hosts = append(o.Hosts, h)
		}
	}
	if len(o.Hosts) == 0 && e.ComputeResource != nil {
		o.Cluster = e.ComputeResource.ComputeResource.Value
	}
	return o, o.Effect != 0
}

func effectOf(event types.BaseEvent) Effect {
	switch e := event.(type) {
	case *types.AlarmStatusChangedEvent:
		return effectOfAlarm(e)
	case *types.TaskEvent:
		return effectOfTask(e)
	case *types.EventEx:
		return extended[e.EventTypeId]
	case *types.ExtendedEvent:
		return extended[e.EventTypeId]
	}
	return effects[reflect.TypeOf(event).Elem().Name()]
}

// otherHosts are the ids of the hosts at the other end of a migration, or on which an alarm is.
func otherHosts(event types.BaseEvent) []string {
	switch e := event.(type) {
	case *types.VmMigratedEvent:
		return []string{e.SourceHost.Host.Value}
	case *types.DrsVmMigratedEvent:
		return []string{e.SourceHost.Host.Value}
	case *types.VmRelocatedEvent:
		return []string{e.SourceHost.Host.Value}
	case *types.VmBeingMigratedEvent:
		return []string{e.DestHost.Host.Value}
	case *types.VmBeingHotMigratedEvent:
		return []string{e.DestHost.Host.Value}
	case *types.VmBeingRelocatedEvent:
		return []string{e.DestHost.Host.Value}
	case *types.AlarmStatusChangedEvent:
		if e.Entity.Entity.Type == "HostSystem" {
			return []string{e.Entity.Entity.Value}
		}
	}
	return nil
}

// wordsOf writes the class of an event in words: host connection lost, of HostConnectionLostEvent. Abbreviations stay as they are.
func wordsOf(class string) string {
	var b strings.Builder
	letters := []rune(strings.TrimSuffix(class, "Event"))
	for i, r := range letters {
		begins := unicode.IsUpper(r) && (i == 0 || unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins && i > 0 {
			b.WriteByte(' ')
		}
		if begins && (i+1 == len(letters) || unicode.IsLower(letters[i+1])) {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
