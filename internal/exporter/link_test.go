package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// A server that takes requests and does not answer is reported with the time limit of connecting.
func TestConnectingToAHungServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target, err := newTarget(TargetConfig{Name: "vc1", Dial: func(ctx context.Context) (*session.Session, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("connecting to vc1: %w", context.Cause(ctx))
		}}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		_, err = target.connect(t.Context())
		require.EqualError(t, err, "connecting to vc1: no answer within 2m0s")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
