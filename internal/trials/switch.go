package trials

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// switcher switches the steps of units. Every switch is in the journal before it is made.
type switcher struct {
	run   *tuning.Switching
	units []unit
	now   func(context.Context) (time.Time, error) // by the server's clock
	away  patience
}

// Set implements trial.Switch. It waits for a server that is away, but does not repeat a write that may have been made.
func (s *switcher) Set(ctx context.Context, treated []bool) (time.Time, error) {
	on := map[int]bool{}
	for i, u := range s.units {
		for _, step := range u.steps {
			on[step] = treated[i]
		}
	}
	err := s.patiently(ctx, func() error { return s.run.Set(ctx, on) })
	if foreign := (*tuning.ForeignError)(nil); errors.As(err, &foreign) {
		return time.Time{}, &trial.ForeignError{Text: strings.Join(foreign.Moved, "; ")}
	}
	if err != nil {
		return time.Time{}, err
	}
	var at time.Time
	err = s.patiently(ctx, func() (err error) { at, err = s.now(ctx); return err })
	return at, err
}

func (s *switcher) patiently(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !s.away.excuses(err) || errors.Is(err, tuning.ErrUnsure) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-s.away.clock.After(source.Interval):
		}
	}
}
