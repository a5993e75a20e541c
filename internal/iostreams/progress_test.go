package iostreams

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func terminal() (*IO, *bytes.Buffer) {
	s, _, err := Test()
	s.SetTTY(false, false, true)
	return s, err
}

func TestProgressDrawsAndErases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, screen := terminal()
		p := s.StartProgress("Reading hosts")
		p.Update("too soon")
		time.Sleep(redrawEvery)
		p.Update("2 of 10")
		p.Update("too soon")
		time.Sleep(redrawEvery)
		p.Update("3 of 10")
		p.Done()
		p.Done()
		time.Sleep(redrawEvery)
		p.Update("too late")

		require.Equal(t, strings.Join([]string{
			"", "Reading hosts", "Reading hosts 2 of 10", "Reading hosts 3 of 10", "",
		}, eraseLine), screen.String())
	})
}

func TestProgressShowsHowLongItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, screen := terminal()
		p := s.StartProgress("reading")
		time.Sleep(redrawEvery)
		p.Update("hosts: 16")
		for range 6 { // a repeated text is not news
			time.Sleep(time.Second)
			p.Update("hosts: 16")
		}
		synctest.Wait()
		require.True(t, strings.HasSuffix(screen.String(), "reading hosts: 16, waiting for 5s"), "%q", screen)
		p.Update("hosts: 16")
		p.Update("VMs: 127")
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		require.True(t, strings.HasSuffix(screen.String(), "reading VMs: 127, waiting for 2m59s"), "%q", screen)
		p.Done()
		erased := screen.Len()
		time.Sleep(time.Minute)
		require.Equal(t, erased, screen.Len(), "nothing is drawn after the end")
	})
}

func TestProgressStaysOnOneSafeLine(t *testing.T) {
	for _, tc := range []struct {
		name  string
		width int
		label string
		want  string
	}{
		{"fits", 6, "hosts", "hosts"},
		{"last column stays free", 5, "hosts", "hos…"},
		{"runes, not bytes", 6, "hösts", "hösts"},
		{"no room", 1, "hosts", ""},
		{"unknown width", 0, strings.Repeat("x", 90), strings.Repeat("x", 78) + "…"},
		{"hostile name", 40, "vm\x1b[2J\n", `vm\x1b[2J\n`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, screen := terminal()
			s.SetWidth(tc.width)
			s.StartProgress(tc.label)
			require.Equal(t, eraseLine+tc.want, screen.String())
		})
	}
}

func TestProgressIsSilentWithoutATerminal(t *testing.T) {
	for name, dress := range map[string]func(*IO){
		"pipe": func(s *IO) { s.SetTTY(true, true, false) },
		"dumb": func(s *IO) { s.SetTTY(true, true, true); s.SetEnv(map[string]string{"TERM": "dumb"}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, out, err := Test()
			dress(s)
			p := s.StartProgress("Reading hosts")
			p.Update("2 of 10")
			p.Done()
			require.Empty(t, out.String()+err.String())
		})
	}
}

func TestProgressFromManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, screen := terminal()
		p := s.StartProgress("Reading")
		time.Sleep(redrawEvery)
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() { p.Update(strconv.Itoa(i)) })
		}
		all.Wait()
		p.Done()
		require.Equal(t, 3, strings.Count(screen.String(), eraseLine), "the start, one update, the end")
	})
}

func TestProgressCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, screen := terminal()
		p := s.StartProgress("asking 16 hosts")
		time.Sleep(redrawEvery)
		p.Count(1, 16)
		time.Sleep(4*time.Second - redrawEvery)
		p.Count(4, 16)
		time.Sleep(redrawEvery)
		p.Count(16, 16)
		p.Done()
		require.Equal(t, strings.Join([]string{
			"", "asking 16 hosts", "asking 16 hosts 1 of 16", "asking 16 hosts 4 of 16, about 12s left", "asking 16 hosts 16 of 16", "",
		}, eraseLine), screen.String())
	})
}
