package batch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// film returns a capture of n samples, each of which contains its number.
func film(first, n int, start time.Time) string {
	var b strings.Builder
	b.WriteString(smallHeader)
	for i := range n {
		fmt.Fprintf(&b, "\"%s\",\"%d\",\"%d.50\"\n", start.Add(time.Duration(i)*5*time.Second).Format("01/02/2006 15:04:05"), first+i, i)
	}
	return b.String()
}

func saved(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func opened(t *testing.T, paths ...string) esxtop.Seeker {
	r, err := OpenReplay(paths...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return r
}

// numberIn returns the number that the next round contains; -1 after the end.
func numberIn(t *testing.T, s esxtop.Source) int {
	round, err := s.Next(t.Context())
	if errors.Is(err, io.EOF) {
		return -1
	}
	require.NoError(t, err)
	v, ok := round.Frames[0].Of(esxtop.Lookup("mem.free"))
	require.True(t, ok)
	return int(v)
}

var filmed = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func TestReplay(t *testing.T) {
	for name, text := range map[string]string{
		"plain": film(0, 100, filmed), "gzip": compressed(film(0, 100, filmed)),
		"UTF-16":     wideText("\ufeff"+film(0, 100, filmed), binary.LittleEndian),
		"semicolons": strings.NewReplacer(",", ";", ".50", ",50").Replace(film(0, 100, filmed)),
	} {
		t.Run(name, func(t *testing.T) {
			r := opened(t, saved(t, "a.csv", text))
			require.Equal(t, esxtop.About{Origin: esxtop.Capture, Hosts: []string{"h"}, Interval: 5 * time.Second}, r.About())
			for i := range 100 {
				next, total := r.Position()
				require.Equal(t, []int{i, -1}, []int{next, total})
				require.Equal(t, i, numberIn(t, r))
			}
			require.Equal(t, -1, numberIn(t, r))
			next, total := r.Position()
			require.Equal(t, []int{100, 100}, []int{next, total})

			for _, n := range []int{98, 99, 0, 50, 5000, -3} {
				require.NoError(t, r.Seek(n))
				next, _ := r.Position()
				require.Equal(t, max(0, min(n, 99)), next)
				require.Equal(t, next, numberIn(t, r))
			}
			require.NoError(t, r.Seek(40))
			round, err := r.Next(t.Context())
			require.NoError(t, err)
			require.Equal(t, 5*time.Second, round.Frames[0].Interval, "to the round before, though it was not read")
			require.Equal(t, filmed.Add(200*time.Second), round.Time)
		})
	}
}

// TestReplayJumps seeks to random positions and checks the position each time.
func TestReplayJumps(t *testing.T) {
	var want []int
	for i := range 60 {
		want = append(want, i)
	}
	for i := range 50 {
		want = append(want, 1000+i)
	}
	for seed := range int64(30) {
		random := rand.New(rand.NewSource(seed))
		first := film(0, 60, filmed)
		if seed%2 == 0 {
			first = compressed(first)
		}
		later := film(1000, 50, filmed.Add(time.Hour))
		r := opened(t, saved(t, "b.csv", later), saved(t, "a.csv", first))
		at := 0
		for range 60 {
			switch random.Intn(4) {
			case 0:
				at = random.Intn(130)
				require.NoError(t, r.Seek(at))
				at = min(at, len(want)-1)
			case 1:
				at = max(0, at-1-random.Intn(3))
				require.NoError(t, r.Seek(at))
				at = min(at, len(want)-1)
			case 2:
				r.Configure(esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host, []esxtop.Object{esxtop.Group, esxtop.PCPU}[random.Intn(2)])})
			}
			got := numberIn(t, r)
			if at == len(want) {
				require.Equal(t, -1, got)
				continue
			}
			require.Equal(t, want[at], got, "seed %d", seed)
			at++
			next, _ := r.Position()
			require.Equal(t, at, next)
		}
	}
}

// TestReplayLarge has more than one buffer.
func TestReplayLarge(t *testing.T) {
	const rows = 20_000
	r := opened(t, saved(t, "a.csv", film(0, rows, filmed)))
	random := rand.New(rand.NewSource(1))
	for range 200 {
		n := random.Intn(rows)
		require.NoError(t, r.Seek(n))
		require.Equal(t, n, numberIn(t, r))
	}
}

func TestReplayAsks(t *testing.T) {
	r := opened(t, saved(t, "a.csv", film(0, 3, filmed)))
	r.Configure(esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host)})
	round, err := r.Next(t.Context())
	require.NoError(t, err)
	require.False(t, round.Frames[0].Has(esxtop.Group))
	r.Configure(esxtop.Request{Objects: esxtop.AllObjects})
	require.NoError(t, r.Seek(0))
	round, err = r.Next(t.Context())
	require.NoError(t, err)
	require.True(t, round.Frames[0].Has(esxtop.Group), "a kept round has fewer objects than requested now")
}

func TestReplayNotes(t *testing.T) {
	film := strings.Replace(film(0, 100, filmed), "12:01:00", "later", 1)
	r := opened(t, saved(t, "a.csv", "warning\n"+film))
	require.Equal(t, "text before the header was skipped", r.About().Note)
	for range 3 {
		for _, n := range []int{500, 5, 50} {
			require.NoError(t, r.Seek(n))
			for range 40 {
				_, _ = r.Next(t.Context())
			}
		}
	}
	require.Equal(t, `text before the header was skipped; row 15: its time is "\"05/01/2024 later\"", dropped`, r.About().Note, "said once")
}

// TestReplayColumnsChange goes back over the header of a second capture in the same file.
func TestReplayColumnsChange(t *testing.T) {
	second := strings.ReplaceAll(film(0, 3, filmed.Add(time.Hour)), "Free MBytes", "Kernel MBytes")
	r := opened(t, saved(t, "a.csv", film(0, 3, filmed)+second))
	for _, n := range []int{4, 1, 5, 0, 3} {
		require.NoError(t, r.Seek(n))
		round, err := r.Next(t.Context())
		require.NoError(t, err)
		v, ok := round.Frames[0].Of(esxtop.Lookup("mem.free"))
		if n > 2 {
			require.False(t, ok)
			v, _ = round.Frames[0].Of(esxtop.Lookup("mem.kernel"))
		}
		require.InDelta(t, n%3, v, 0)
	}
}

func TestReplayErrors(t *testing.T) {
	_, err := OpenReplay(filepath.Join(t.TempDir(), "none.csv"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = OpenReplay()
	require.EqualError(t, err, "opening captures: none is named")
	path := saved(t, "a.csv", smallHeader)
	_, err = OpenReplay(path)
	require.EqualError(t, err, "opening capture "+path+": reading CSV: no samples: the file has a header and nothing else")

	r := opened(t, saved(t, "b.csv", film(0, 3, filmed)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, r.Close(t.Context()))
	require.NoError(t, r.Close(t.Context()))
	_, err = r.Next(t.Context())
	require.EqualError(t, err, "reading a capture: it was closed")
	require.EqualError(t, r.Seek(1), "going on in a capture: it was closed")
}

func TestReplayRealCapture(t *testing.T) {
	r := opened(t, capture(t, "esxtop-all-6x.csv").Name())
	require.NoError(t, r.Seek(2))
	round, err := r.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{0.65}, figures(t, []*esxtop.Round{round}, esxtop.Group, "styx", "cpu.ready"))
	require.Empty(t, r.About().Note)
	require.Equal(t, 5*time.Second, r.About().Interval)
}
