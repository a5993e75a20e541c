package trial

import (
	"fmt"
	"slices"
	"time"
)

// hearing is the events of a trial so far.
type hearing struct {
	events []Event
	seen   map[string]bool
}

// fresh returns the events that were not heard before, and keeps them. Events before the first block are ignored.
func (h *hearing) fresh(list []Event, first time.Time) (news []Event) {
	if h.seen == nil {
		h.seen = map[string]bool{}
	}
	for _, event := range list {
		key := fmt.Sprint(event.Time.UnixNano(), event.Kind, event.Units, event.Text)
		if event.Time.Before(first) || h.seen[key] {
			continue
		}
		h.seen[key] = true
		h.events, news = append(h.events, event), append(news, event)
	}
	return news
}

// apply drops the units of a block that events contaminate.
func (h *hearing) apply(b *Block) {
	for i := range h.events {
		h.events[i].apply(b)
	}
}

// apply drops the event's units from a block if the event is in it, and reports whether that changed the block. The
// values of the block play no part.
func (event *Event) apply(b *Block) bool {
	if event.Kind != Contaminates || event.Time.Before(b.Begin) || event.Time.After(b.End) {
		return false
	}
	return b.drop(event.Units, event.Text)
}

func (event *Event) unit() int {
	if len(event.Units) == 1 {
		return event.Units[0]
	}
	return -1
}

// drop marks units, all with none, unless they are dropped already. It reports whether one is new.
func (b *Block) drop(units []int, why string) (changed bool) {
	for i := range b.Units {
		if b.Units[i].Dropped == "" && (len(units) == 0 || slices.Contains(units, i)) {
			b.Units[i].Dropped, changed = why, true
		}
	}
	return changed
}
