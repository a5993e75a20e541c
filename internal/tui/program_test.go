package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// terminal is an emulator that a program writes to.
type terminal struct {
	mu sync.Mutex
	*vt.Emulator
}

func newTerminal(width, height int) *terminal {
	return &terminal{Emulator: vt.NewEmulator(width, height)}
}

func (e *terminal) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := e.Emulator.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

func (e *terminal) shows() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return grid(e.Emulator)
}

// awaits waits until the screen has some text.
func (e *terminal) awaits(t *testing.T, text string) string {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(e.shows(), text) }, 30*time.Second, 5*time.Millisecond, "%s is not on\n%s", text, e.shows())
	return e.shows()
}

// waiting is a source that waits for its context after its last round.
type waiting struct{ *source }

func (w waiting) Next(ctx context.Context) (*esxtop.Round, error) {
	if w.next < len(w.rounds) {
		return w.source.Next(ctx)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestProgram runs the real thing: its writes to a terminal make the same screens as the model's own text.
func TestProgram(t *testing.T) {
	withThresholds(t, someThresholds)
	src := waiting{oneHost()}
	m := newModel(t.Context(), Options{Source: src, Color: true}.normal())
	term := newTerminal(80, 24)
	input, typed := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, term) }() // what a terminal answers to questions
	program := tea.NewProgram(m, tea.WithContext(t.Context()), tea.WithInput(input), tea.WithOutput(term), tea.WithFPS(60),
		tea.WithWindowSize(80, 24), tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignals())
	done := make(chan error, 1)
	go func() { _, err := program.Run(); done <- err }()

	term.awaits(t, "10:49:27pm up")
	want := driven(t, oneHost())
	want.opts.Now = m.opts.Now
	settled := func(keys string, width, height int) {
		t.Helper()
		screen := want.keys(keys).shows(width, height)
		require.Eventually(t, func() bool { return term.shows() == screen }, 30*time.Second, 5*time.Millisecond, "want\n%s\nhave\n%s", screen, term.shows())
	}
	settled("", 80, 24)
	for _, keys := range []string{"m", "d", "c", "R", "/"} {
		fmt.Fprint(typed, keys)
		settled(keys, 80, 24)
	}
	fmt.Fprint(typed, "web\r")
	settled("web<enter>", 80, 24)
	fmt.Fprint(typed, "\x1b[B\x1b[C")
	settled("<down><right>", 80, 24)

	term.mu.Lock()
	term.Resize(120, 40)
	term.mu.Unlock()
	program.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
	settled("", 120, 40)
	for _, size := range [][2]int{{60, 15}, {200, 60}, {80, 24}, {40, 50}, {120, 40}} { // what was there before is gone
		term.mu.Lock()
		term.Resize(size[0], size[1])
		term.mu.Unlock()
		program.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		settled("", size[0], size[1])
	}
	fmt.Fprint(typed, "H")
	settled("H", 120, 40)
	fmt.Fprint(typed, "\x1b")
	settled("<esc>", 120, 40)
	fmt.Fprint(typed, "q")
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("q does not quit")
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	in, _ := io.Pipe()
	go func() {
		done <- Run(ctx, Options{Source: waiting{oneHost()}, In: in, Out: io.Discard})
	}()
	time.Sleep(50 * time.Millisecond)
	cancel()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
}

// TestRunEndsWithASignal: the signal that ends the context may come at any moment, and nothing waits for it twice.
func TestRunEndsWithASignal(t *testing.T) {
	kept := make(chan os.Signal, 1)
	signal.Notify(kept, syscall.SIGTERM) // it is never ours alone: the test goes on
	defer signal.Stop(kept)
	for i := range 20 {
		ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
		done := make(chan error, 1)
		in, _ := io.Pipe()
		go func() { done <- Run(ctx, Options{Source: waiting{oneHost()}, In: in, Out: io.Discard}) }()
		time.Sleep(time.Duration(10+i%4) * time.Millisecond)
		require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
		select {
		case err := <-done:
			require.ErrorIs(t, err, context.Canceled)
		case <-time.After(time.Minute):
			t.Fatal("it does not end")
		}
		stop()
	}
}

func TestRunTellsWhatBrokeTheSource(t *testing.T) {
	src := oneHost()
	src.live, src.err = false, errBroken
	in, _ := io.Pipe()
	require.ErrorIs(t, Run(t.Context(), Options{Source: src, In: in, Out: io.Discard}), errBroken)
}

var allKeys = []string{"c", "m", "d", "u", "v", "n", "p", "i", "x", "f", "F", "o", "O", "s", "#", "V", "e", "L", "W", "h", "?", "space", "enter", "/",
	"P", "=", ".", ",", "[", "]", "g", "G", ":", "up", "down", "left", "right", "pgup", "pgdown", "home", "end", "esc", "backspace", "ctrl+u", "2", "8", "6",
	"H", "ctrl+l", "U", "R", "N", "M", "B", "r", "w", "t", "T", "a", "A", "k", "0", "9", "-", "é", "\x00", "字"}

// TestAnyKeys presses all keys in any order: no key causes a panic, and every screen fits.
func TestAnyKeys(t *testing.T) {
	withThresholds(t, someThresholds)
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		var src esxtop.Source = several()
		if seed%2 == 1 {
			src = replayed()
		}
		p := driven(t, src)
		p.set.Delay = time.Nanosecond
		for range 400 {
			key := allKeys[r.IntN(len(allKeys))]
			text := key
			if len([]rune(key)) > 1 {
				text = ""
			}
			if cmd := p.press(key, text); cmd != nil && seed%2 == 1 {
				p.run(cmd)
			}
			if r.IntN(10) == 0 {
				p.take(roundMsg{round: round(host("esx01", 4, r.IntN(8), r.IntN(90))), place: p.place()})
			}
			if r.IntN(4) == 0 {
				p.width, p.height = 1+r.IntN(140), 1+r.IntN(50)
				for l := range strings.SplitSeq(p.screen(), "\n") {
					require.LessOrEqual(t, cells(l), p.width, "seed %d", seed)
				}
			}
		}
	}
}

// BenchmarkFrame is one round of ten hosts taken in, remembered and drawn with a hundred rows.
func BenchmarkFrame(b *testing.B) {
	withThresholds(b, someThresholds)
	frames := make([]*esxtop.Frame, 10)
	for i := range frames {
		frames[i] = host(fmt.Sprintf("esx%03d.example.com", i), 56, 60, 0)
	}
	src := &source{live: true, about: esxtop.About{Interval: 5 * time.Second}}
	m := newModel(b.Context(), Options{Source: src, Color: true}.normal())
	m.width, m.height = 200, 112
	n := 0
	for b.Loop() {
		n++
		m.receive(roundMsg{round: &esxtop.Round{Time: start.Add(time.Duration(n) * 5 * time.Second), Frames: frames}})
		m.reading = false
		if s := m.View().Content; len(s) < 10_000 {
			b.Fatal("there is too little on the screen")
		}
	}
}

// BenchmarkFleet is the same for a hundred hosts: the cost of a round before the next key is handled.
func BenchmarkFleet(b *testing.B) {
	frames := make([]*esxtop.Frame, 100)
	for i := range frames {
		frames[i] = host(fmt.Sprintf("esx%03d.example.com", i), 56, 60, 0)
	}
	m := newModel(b.Context(), Options{Source: &source{live: true, about: esxtop.About{Interval: 20 * time.Second}}, Color: true}.normal())
	m.width, m.height = 200, 60
	n := 0
	for b.Loop() {
		n++
		m.receive(roundMsg{round: &esxtop.Round{Time: start.Add(time.Duration(n) * 20 * time.Second), Frames: frames}})
		m.reading = false
		m.View()
	}
}

// BenchmarkKey is a cursor that moves over the table of a hundred hosts.
func BenchmarkKey(b *testing.B) {
	frames := make([]*esxtop.Frame, 100)
	for i := range frames {
		frames[i] = host(fmt.Sprintf("esx%03d.example.com", i), 56, 60, 0)
	}
	m := newModel(b.Context(), Options{Source: &source{live: true, about: esxtop.About{Interval: 20 * time.Second}}, Color: true}.normal())
	m.receive(roundMsg{round: &esxtop.Round{Time: start, Frames: frames}})
	for b.Loop() {
		m.press("down", "")
		m.View()
	}
}
