package trials

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// switcher switches the steps of units. Every switch is in the journal before it is made.
type switcher struct {
	run   *tuning.Switching
	units []unit
	now   func(context.Context) (time.Time, error) // by the server's clock
}

// Set implements trial.Switch.
func (s *switcher) Set(ctx context.Context, treated []bool) (time.Time, error) {
	on := map[int]bool{}
	for i, u := range s.units {
		for _, step := range u.steps {
			on[step] = treated[i]
		}
	}
	err := s.run.Set(ctx, on)
	if foreign := (*tuning.ForeignError)(nil); errors.As(err, &foreign) {
		return time.Time{}, &trial.ForeignError{Text: strings.Join(foreign.Moved, "; ")}
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("switching: %w", err)
	}
	return s.now(ctx)
}
