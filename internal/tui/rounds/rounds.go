// Package rounds has the rounds of counters for commands that print them, and writes them as esxtop's batch CSV.
package rounds

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Source wraps a source for printing commands and returns its rounds at the user's interval. It skips a server's history
// and the first sample of a host, and reports hosts that do not respond on stderr.
type Source struct {
	esxtop.Source
	io            *iostreams.IO
	remaining     int       // how many are wanted; negative: all
	since         time.Time // the last round with something in it, or the beginning
	missed        map[string]string
	begun         bool
	about         string // the printed description of the source
	originPrinted bool
}

// New wraps a source; it ends after a number of samples, or with the source if that is 0.
func New(s esxtop.Source, streams *iostreams.IO, samples int) *Source {
	if samples == 0 {
		samples = -1
	}
	return &Source{Source: s, io: streams, remaining: samples, missed: map[string]string{}}
}

// OriginIsPrinted tells that the caller prints the first origin of figures.
func (r *Source) OriginIsPrinted() { r.originPrinted = true }

// longest is for how long a caller that wants a number of rounds waits for one while no host answers.
var longest = 3 * time.Minute

// LimitForTest sets how long all sources of a test program wait for a round.
func LimitForTest(d time.Duration) { longest = d }

// Next is the next round with something in it, and io.EOF after the last. The first look at a host makes no round: there
// is nothing yet to compare it with.
func (r *Source) Next(ctx context.Context) (*esxtop.Round, error) {
	if r.since.IsZero() {
		r.since = time.Now()
	}
	for r.remaining != 0 {
		round, err := r.Source.Next(ctx)
		if err != nil {
			r.reportDefects()
			return nil, err
		}
		r.reportSilentHosts(round)
		if round.Past || !measured(round) {
			if err := r.givenUp(round); err != nil {
				return nil, err
			}
			continue
		}
		r.remaining--
		r.since = time.Now()
		r.reportOrigin()
		return round, nil
	}
	r.reportDefects()
	return nil, io.EOF
}

// givenUp returns an error if no host has answered for too long. Callers that want all rounds go on, as a monitor does.
func (r *Source) givenUp(round *esxtop.Round) error {
	if r.remaining < 0 || time.Since(r.since) < longest {
		return nil
	}
	for _, t := range round.Troubles {
		if t.Err != nil {
			return fmt.Errorf("no samples for %s: %w", iostreams.Brief(longest), t.Err)
		}
	}
	if len(round.Frames) > 0 {
		return nil
	}
	return fmt.Errorf("no samples for %s", iostreams.Brief(longest))
}

// reportOrigin prints the origin of figures to stderr if it is not the preferred one, and each time that it changes.
func (r *Source) reportOrigin() {
	about := r.About()
	line := about.Note
	switch about.Origin {
	case esxtop.Capture:
		line = "" // there is more at its end
	case esxtop.Performance:
		line = strings.TrimSuffix(fmt.Sprintf("%s, every %s; %s", about.Origin, iostreams.Brief(about.Interval), line), "; ")
	}
	if r.originPrinted && !r.begun {
		r.about, line = line, ""
	}
	r.begun = true
	if line != "" && line != r.about {
		fmt.Fprintf(r.io.Err, "vperf: %s\n", iostreams.Sanitize(line))
		r.about = line
	}
}

// reportDefects prints problems of a capture to stderr. Missing data is known only at its end.
func (r *Source) reportDefects() {
	if about := r.About(); about.Origin == esxtop.Capture && about.Note != "" {
		fmt.Fprintf(r.io.Err, "vperf: warning: %s\n", iostreams.Sanitize(about.Note))
	}
}

// measured reports whether anything in a round is more than a first look. Captures are taken as they are.
func measured(round *esxtop.Round) bool {
	for _, f := range round.Frames {
		if f.Interval > 0 || f.Origin == esxtop.Capture {
			return true
		}
	}
	return false
}

// reportSilentHosts prints to stderr which hosts do not respond, each time that this changes.
func (r *Source) reportSilentHosts(round *esxtop.Round) {
	now := map[string]string{}
	for _, t := range round.Troubles {
		if t.Err == nil && t.Since.IsZero() {
			continue // it has just been asked
		}
		now[t.Host] = troubleWords(t)
		if _, known := r.missed[t.Host]; !known {
			fmt.Fprintf(r.io.Err, "vperf: warning: %s: %s\n", iostreams.Sanitize(t.Host), iostreams.Sanitize(now[t.Host]))
		}
	}
	for host := range r.missed {
		if _, still := now[host]; !still {
			fmt.Fprintf(r.io.Err, "vperf: %s answers again\n", iostreams.Sanitize(host))
		}
	}
	r.missed = now
}

func troubleWords(t esxtop.Trouble) string {
	var words []string
	if t.Err != nil {
		words = append(words, strings.TrimPrefix(t.Err.Error(), "reading counters of "+t.Host+": "))
	} else {
		words = append(words, "it has not answered yet")
	}
	if !t.Since.IsZero() {
		words = append(words, "its last samples are from "+t.Since.Format(time.TimeOnly))
	}
	return strings.Join(words, "; ")
}
