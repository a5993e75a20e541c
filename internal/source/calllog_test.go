package source

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/session"
)

func TestCallLog(t *testing.T) {
	streams, _, stderr := iostreams.Test()
	streams.SetTTY(false, false, true)
	l := NewCallLog(streams)
	l.Total()
	require.Empty(t, stderr.String(), "there was no call")
	streams.StartProgress("reading").Done()
	require.Empty(t, stderr.String(), "progress would mix with it")

	l.add(session.Call{Host: "vc.example.com", Method: "Login", Took: 12345 * time.Microsecond, Sent: 700, Received: 1200})
	l.add(session.Call{Host: "vc.example.com", Method: "QueryPerf", Took: time.Second, Sent: 100, Received: 2_000_000, Err: errors.New("broken\x1b")})
	l.Total()
	require.Equal(t, `vc.example.com Login 12.3ms, 700 B sent, 1 kB received
vc.example.com QueryPerf 1s, 100 B sent, 2.0 MB received: broken
total: 2 calls, 1 failed, 1.0123s, 800 B sent, 2.0 MB received
`, stderr.String())
}
