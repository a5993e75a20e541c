package measure

import "time"

// Clock is what a source waits by. Tests have their own; the zero value is the machine's.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

func (c Clock) orMachine() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.After == nil {
		c.After = time.After
	}
	return c
}
