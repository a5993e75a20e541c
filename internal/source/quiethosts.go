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
	hosts []measure.RosterHost
	heard map[string]bool  // by id
	why   map[string]error // the last error of a host
	late  int              // hosts without an answer in the last round
}

// hear is a source that is listened to on the way.
func (s *quietHosts) hear(source esxtop.Source) esxtop.Source {
	s.heard, s.why = map[string]bool{}, map[string]error{}
	return listened{source, s}
}

type listened struct {
	esxtop.Source

	to *quietHosts
}

func (l listened) Next(ctx context.Context) (*esxtop.Round, error) {
	round, err := l.Source.Next(ctx)
	if err != nil {
		return round, err
	}
	for _, f := range round.Frames {
		l.to.heard[f.MoID] = l.to.heard[f.MoID] || f.Interval > 0
	}
	l.to.late = 0
	for _, t := range round.Troubles {
		l.to.why[t.MoID] = t.Err
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
		if why := s.why[h.MoID]; why != nil {
			return fmt.Errorf("%w from %s; %s: %w", err, plural.Count(len(s.hosts), "host"), h.Name, why)
		}
	}
	return err
}

var errNoAnswer = errors.New("it did not answer")

// words returns a message per quiet host, except those known to be down, which are already reported as unread.
func (s *quietHosts) words() []string {
	var all []string
	for _, h := range s.hosts {
		if !s.heard[h.MoID] && h.Down == "" {
			all = append(all, "no counters of "+h.Name+": "+iostreams.Printable(cmp.Or(s.why[h.MoID], errNoAnswer)))
		}
	}
	return all
}
