package config

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// AskOn returns the Ask function of a Console on a terminal, or nil if in is not a terminal.
func AskOn(in io.Reader, out io.Writer) func(context.Context, string) (session.Secret, error) {
	file, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return func(ctx context.Context, question string) (session.Secret, error) {
		before, err := term.GetState(int(file.Fd()))
		if err != nil {
			return "", fmt.Errorf("asking for the password: %w", err)
		}
		return ask(ctx, out, question,
			func() ([]byte, error) { return term.ReadPassword(int(file.Fd())) },
			func() { _ = term.Restore(int(file.Fd()), before) }) // there is no way to report it
	}
}

// ask waits for the answer or for Ctrl-C. A read from a terminal cannot be cancelled, so its goroutine is abandoned,
// and the terminal is restored.
func ask(ctx context.Context, out io.Writer, question string, read func() ([]byte, error), restore func()) (session.Secret, error) {
	type answer struct {
		text []byte
		err  error
	}
	fmt.Fprint(out, question)
	defer fmt.Fprintln(out) // the end of line was not echoed either
	answered := make(chan answer, 1)
	go func() {
		text, err := read()
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return "", fmt.Errorf("asking for the password: %w", a.err)
		}
		return session.Secret(a.text), nil
	case <-ctx.Done():
		restore()
		return "", ctx.Err()
	}
}
