package config

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// AskOn is Console's Ask on a terminal, or nil where in is none.
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
			func() { _ = term.Restore(int(file.Fd()), before) }) // nobody is left to tell
	}
}

// ask waits for the answer or for Ctrl-C: reading from a terminal cannot be called off, so it is left behind, and the
// terminal is given back as it was.
func ask(ctx context.Context, out io.Writer, question string, read func() ([]byte, error), restore func()) (session.Secret, error) {
	type answer struct {
		text []byte
		err  error
	}
	fmt.Fprint(out, question)
	defer fmt.Fprintln(out) // the typed end of line was not shown either
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
