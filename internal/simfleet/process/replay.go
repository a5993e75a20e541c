package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/simfleet"
)

// ServeReplay is Serve for a fleet whose clock is behind by a time. The clock stands still until the parent moves it with
// Replay.Forward, and runs by itself once it has caught up. All that the fleet reports follows from its clock, so that the parent reads
// in seconds what the fleet did in an hour. People are at work when the replay begins, as they are when Serve begins.
func ServeReplay(in io.Reader, out io.Writer, cfg simfleet.Config, behind time.Duration) error {
	defer debug.SetGCPercent(debug.SetGCPercent(replayGarbage))
	begin := time.Now().Add(-behind).Truncate(time.Second) // so that samples are whole seconds long
	clock := newReplayClock(begin, behind, time.Now)
	cfg.Now = clock.now
	cfg.Zone = simfleet.MidMorning(clock.now())
	return serve(in, out, cfg, func(line string) error { return clock.apply(line, out) })
}

// replayGarbage is in percent of what is in use. A replay lasts for seconds and makes megabytes of text for each sample, which nobody
// keeps: the collector would take a third of the time.
const replayGarbage = 400

// apply moves the clock as a line from the parent says, and answers so that the parent can go on.
func (c *replayClock) apply(line string, out io.Writer) error {
	d, err := time.ParseDuration(line)
	if err != nil || d < 0 {
		return fmt.Errorf("the parent sent %q; it can send a duration only", line)
	}
	c.forward(d)
	_, err = fmt.Fprintln(out, line)
	return err
}

// replayClock stands still until it is moved, and runs by itself from its end on.
type replayClock struct {
	wall func() time.Time

	mu    sync.Mutex
	at    time.Time
	left  time.Duration // until the end
	ended time.Time     // by the real clock; zero: it has not
}

func newReplayClock(from time.Time, long time.Duration, wall func() time.Time) *replayClock {
	return &replayClock{wall: wall, at: from, left: long}
}

func (c *replayClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.IsZero() {
		return c.at
	}
	return c.at.Add(c.wall().Sub(c.ended))
}

// forward moves the clock, but not beyond its end, and returns by how much.
func (c *replayClock) forward(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	d = min(d, c.left)
	c.at, c.left = c.at.Add(d), c.left-d
	if c.left == 0 && c.ended.IsZero() {
		c.ended = c.wall()
	}
	return d
}

func (c *replayClock) remaining() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left
}

// Replay is the parent's side of a fleet that ServeReplay serves. It moves the fleet's clock and knows what it shows.
type Replay struct {
	clock   *replayClock
	to      io.Writer
	answers <-chan string

	mu     sync.Mutex // one order at a time
	failed error      // why an answer was not waited for: the next order would get it
}

// newReplay talks to a child through its pipes. The child has to answer each order.
func newReplay(to io.Writer, from io.Reader, behind time.Duration) *Replay {
	answers := make(chan string, 1) // room for one that nobody waits for any more
	go func() {
		defer close(answers)
		for lines := bufio.NewScanner(from); lines.Scan(); {
			answers <- lines.Text()
		}
	}()
	return &Replay{clock: newReplayClock(time.Now().Add(-behind), behind, time.Now), to: to, answers: answers}
}

// Now is what the fleet's clock shows, but for the time that it took to start.
func (r *Replay) Now() time.Time { return r.clock.now() }

// Forward moves the fleet's clock. At the end of what is replayed it returns io.EOF and does nothing.
func (r *Replay) Forward(ctx context.Context, d time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d = min(d, r.clock.remaining()); d <= 0 {
		return io.EOF
	}
	if err := r.order(ctx, d); err != nil {
		return fmt.Errorf("moving the clock of the demo fleet: %w", err)
	}
	r.clock.forward(d)
	return nil
}

// Finish moves the fleet's clock to the end of what is replayed.
func (r *Replay) Finish(ctx context.Context) error {
	if err := r.Forward(ctx, r.clock.remaining()); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// order sends the child a duration and waits until it has answered.
func (r *Replay) order(ctx context.Context, d time.Duration) error {
	if r.failed != nil {
		return r.failed
	}
	if _, err := fmt.Fprintln(r.to, d); err != nil {
		return err
	}
	select {
	case _, more := <-r.answers:
		if !more {
			return errors.New("it has ended")
		}
		return nil
	case <-ctx.Done():
		r.failed = context.Cause(ctx)
		return r.failed
	}
}
