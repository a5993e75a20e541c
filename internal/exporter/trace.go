package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// tracesKept is the number of stored events of a target: an hour of rounds, with other events.
const tracesKept = 256

// trace stores recent events of a target. They contain no secrets: errors of sessions name users, never passwords.
type trace struct {
	log *slog.Logger
	now func() time.Time

	mu   sync.Mutex
	ring [tracesKept]traced
	next int
}

type traced struct {
	at   time.Time
	text string
}

// debug records an event for debugging.
func (t *trace) debug(format string, args ...any) { t.note(slog.LevelDebug, format, args...) }

// warn notes something that people want to hear of without asking.
func (t *trace) warn(format string, args ...any) { t.note(slog.LevelWarn, format, args...) }

func (t *trace) note(level slog.Level, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.log.Log(context.Background(), level, text)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ring[t.next%tracesKept] = traced{t.now(), text}
	t.next++
}

// last returns the events of the last period, oldest first.
func (t *trace) last(long time.Duration) []string {
	since := t.now().Add(-long)
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for i := max(0, t.next-tracesKept); i < t.next; i++ {
		if e := t.ring[i%tracesKept]; !e.at.Before(since) {
			list = append(list, e.at.UTC().Format("2006-01-02T15:04:05.000Z")+" "+e.text)
		}
	}
	return list
}
