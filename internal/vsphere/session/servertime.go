package session

import (
	"context"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
)

// NowOr returns the time of the server's clock, or another time if the answer of the server is damaged.
func (s *Session) NowOr(ctx context.Context, other time.Time) (time.Time, error) {
	now, err := s.Now(ctx)
	if err != nil && Undecodable(err) {
		return other, nil
	}
	return now, err
}

// Now returns the time of the server's clock.
func (s *Session) Now(ctx context.Context) (time.Time, error) {
	now, err := methods.GetCurrentTime(ctx, s.call)
	if err != nil {
		return time.Time{}, err
	}
	return now.UTC(), nil
}
