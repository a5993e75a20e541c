package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/pkg/esxtop"
)

// quietHosts finds hosts without samples: rules over counters do not apply to them, which would look like no problems.
type quietHosts struct {
	hosts      []measure.RosterHost
	seen       map[string]bool  // by id
	lastErrors map[string]error // the last error of a host
	late       int              // hosts without an answer in the last round
}

// listen is a source that is listened to on the way.
func (s *quietHosts) listen(source esxtop.Source) esxtop.Source {
	s.seen, s.lastErrors = map[string]bool{}, map[string]error{}
	return listeningSource{source, s}
}

type listeningSource struct {
	esxtop.Source

	to *quietHosts
}

func (l listeningSource) Next(ctx context.Context) (*esxtop.Round, error) {
	round, err := l.Source.Next(ctx)
	if err != nil {
		return round, err
	}
	for _, f := range round.Frames {
		l.to.seen[f.MoID] = l.to.seen[f.MoID] || f.Interval > 0
	}
	l.to.late = 0
	for _, t := range round.Troubles {
		l.to.lastErrors[t.MoID] = t.Err
		if t.Err != nil {
			l.to.late++
		}
	}
	return round, nil
}

// progress returns the addition to the progress line while hosts do not answer.
func (s *quietHosts) progress() string {
	if s.late == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %s without an answer", s.late, plural.Count(len(s.hosts), "host"))
}

// explain adds to err why no host has samples: the error of the first host that has one.
func (s *quietHosts) explain(err error) error {
	if !errors.Is(err, errNoSamples) {
		return err
	}
	for _, h := range s.hosts {
		if why := s.lastErrors[h.MoID]; why != nil {
			return fmt.Errorf("%w from %s; %s: %w", err, plural.Count(len(s.hosts), "host"), h.Name, why)
		}
	}
	return err
}

var errNoAnswer = errors.New("it did not answer")

// messages returns a message per quiet host, except those known to be down, which are already reported as unread.
func (s *quietHosts) messages() []string {
	var all []string
	for _, h := range s.hosts {
		if !s.seen[h.MoID] && h.Down == "" {
			all = append(all, "no counters of "+h.Name+": "+iostreams.Printable(cmp.Or(s.lastErrors[h.MoID], errNoAnswer)))
		}
	}
	return all
}
