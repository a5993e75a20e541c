package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
)

// rounds wraps a source for printing commands and returns its rounds at the user's interval. It skips a server's history
// and the first sample of a host, and reports hosts that do not respond on stderr.
type rounds struct {
	esxtop.Source
	io            *iostreams.IO
	remaining     int // how many are wanted; negative: all
	missed        map[string]string
	begun         bool
	about         string // the printed description of the source
	originPrinted bool   // the caller prints the first origin of figures
}

func newRounds(s esxtop.Source, streams *iostreams.IO, samples int) *rounds {
	if samples == 0 {
		samples = -1
	}
	return &rounds{Source: s, io: streams, remaining: samples, missed: map[string]string{}}
}

// Next is the next round with something in it, and io.EOF after the last. The first look at a host makes no round: there
// is nothing yet to compare it with.
func (r *rounds) Next(ctx context.Context) (*esxtop.Round, error) {
	for r.remaining != 0 {
		round, err := r.Source.Next(ctx)
		if err != nil {
			r.reportDefects()
			return nil, err
		}
		r.reportSilentHosts(round)
		if round.Past || !measured(round) {
			continue
		}
		r.remaining--
		r.reportOrigin()
		return round, nil
	}
	r.reportDefects()
	return nil, io.EOF
}

// reportOrigin prints the origin of figures to stderr if it is not the preferred one, and each time that it changes.
func (r *rounds) reportOrigin() {
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
func (r *rounds) reportDefects() {
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
func (r *rounds) reportSilentHosts(round *esxtop.Round) {
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

// patience is for how many rounds a batch waits for hosts that do not answer, since its columns are fixed by the first.
const patience = 3

// writeBatch writes esxtop's batch CSV, a row a round.
func writeBatch(ctx context.Context, f *Factory, source esxtop.Source, o *topOptions) error {
	w := batch.NewWriter(f.IO.Out, batch.Options{All: o.AllFields})
	r := newRounds(source, f.IO, o.Samples)
	defer func() {
		for _, line := range w.Report() {
			fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", iostreams.Sanitize(line))
		}
	}()
	for waited := 0; ; {
		round, err := r.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if len(round.Troubles) > 0 && waited < patience {
			if waited++; r.remaining >= 0 {
				r.remaining++
			}
			continue
		}
		waited = patience
		if err := w.Write(round); err != nil {
			return err
		}
	}
}
