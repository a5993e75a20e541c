package source

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// CallLog writes a line to stderr for each call to a server, and the total at the end. It may be used by several goroutines.
type CallLog struct {
	streams *iostreams.IO

	mu            sync.Mutex
	calls, failed int
	sum           session.Call
}

// NewCallLog returns a log. It hides progress, which would mix with its lines.
func NewCallLog(streams *iostreams.IO) *CallLog {
	streams.HideProgress()
	return &CallLog{streams: streams}
}

// Of returns a context whose sessions write their calls to the log.
func (l *CallLog) Of(ctx context.Context) context.Context { return session.WithTrace(ctx, l.add) }

func (l *CallLog) add(c session.Call) {
	end := ""
	if c.Err != nil {
		end = ": " + session.Plain(c.Err.Error())
	}
	line := iostreams.Sanitize(fmt.Sprintf("%s %s %s%s", c.Host, c.Method, costText(c), end))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if c.Err != nil {
		l.failed++
	}
	l.sum.Took += c.Took
	l.sum.Sent += c.Sent
	l.sum.Received += c.Received
	fmt.Fprintln(l.streams.Err, line)
}

// Total writes the total, unless there was no call. Calls are made side by side: their durations may add up to more than has passed.
func (l *CallLog) Total() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls > 0 {
		fmt.Fprintf(l.streams.Err, "total: %s, %d failed, %s\n", plural.Count(l.calls, "call"), l.failed, costText(l.sum))
	}
}

func costText(c session.Call) string {
	return fmt.Sprintf("%s, %s sent, %s received", c.Took.Round(100*time.Microsecond), iostreams.Bytes(c.Sent), iostreams.Bytes(c.Received))
}
