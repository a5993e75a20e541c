package process

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
)

// replayed is how much of its past the child replays.
const replayed = 2 * time.Minute

func TestReplayMovesTheFleetsClock(t *testing.T) {
	c, err := Spawn(t.Context(), []string{os.Args[0]}, childEnv("replay"), replayed)
	require.NoError(t, err)
	defer c.Close()
	client, err := vim25.NewClient(t.Context(), soap.NewClient(c.URL, true))
	require.NoError(t, err)
	require.NoError(t, session.NewManager(client).Login(t.Context(), url.UserPassword(c.User, c.Password)))
	shows := func() time.Time {
		now, err := methods.GetCurrentTime(t.Context(), client)
		require.NoError(t, err)
		return *now
	}
	began := shows()
	require.Equal(t, began, shows(), "it stands still")
	ours := c.Replay.Now()
	require.NoError(t, c.Replay.Forward(t.Context(), 20*time.Second))
	require.Equal(t, began.Add(20*time.Second), shows())
	require.Equal(t, ours.Add(20*time.Second), c.Replay.Now())

	require.NoError(t, c.Replay.Finish(t.Context()))
	require.False(t, shows().Before(began.Add(replayed)))
	require.ErrorIs(t, c.Replay.Forward(t.Context(), time.Second), io.EOF)
	require.NoError(t, c.Replay.Finish(t.Context()), "it is over already")
}

func TestReplayOfAChildThatEnded(t *testing.T) {
	c, err := Spawn(t.Context(), []string{os.Args[0]}, childEnv("replay"), replayed)
	require.NoError(t, err)
	c.Close()
	require.Error(t, c.Replay.Forward(t.Context(), time.Second))
}

func TestReplayIsInterrupted(t *testing.T) {
	silent, _ := io.Pipe()
	r := newReplay(io.Discard, silent, replayed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.Forward(ctx, time.Second), context.Canceled)
	require.ErrorIs(t, r.Forward(t.Context(), time.Second), context.Canceled, "the answer to the first order may still come")
}

func TestReplayClock(t *testing.T) {
	wall := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := newReplayClock(wall.Add(-time.Minute), time.Minute, func() time.Time { return wall })
	begin := wall.Add(-time.Minute)
	wall = wall.Add(time.Hour)
	require.Equal(t, begin, c.now())
	require.Equal(t, 40*time.Second, c.forward(40*time.Second))
	require.Equal(t, 20*time.Second, c.forward(40*time.Second), "not beyond its end")
	require.Equal(t, begin.Add(time.Minute), c.now())
	wall = wall.Add(3 * time.Second)
	require.Equal(t, begin.Add(63*time.Second), c.now(), "it runs by itself from there")
	require.Zero(t, c.forward(time.Second))
}

func TestReplayRefusesOtherOrders(t *testing.T) {
	var out bytes.Buffer
	c := newReplayClock(time.Now(), time.Minute, time.Now)
	require.Error(t, c.apply("-1s", &out))
	require.Error(t, c.apply("reboot", &out))
	require.Empty(t, out.String())
	require.NoError(t, c.apply("1s", &out))
	require.Equal(t, "1s\n", out.String())
}
