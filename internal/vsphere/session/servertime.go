package session

import (
	"context"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
)

// Now returns the time of the server's clock.
func (s *Session) Now(ctx context.Context) (time.Time, error) {
	now, err := methods.GetCurrentTime(ctx, s.call)
	if err != nil {
		return time.Time{}, err
	}
	return now.UTC(), nil
}
