package config

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Console is what asking for a password takes.
type Console struct {
	// In is standard input: a password file called - is its first line.
	In io.Reader
	// Ask asks a person without showing the answer; nil where nobody is there to be asked.
	Ask func(ctx context.Context, question string) (session.Secret, error)

	line session.Secret // the first line of In: several servers may want it
}

// source is one place where a password can be.
type source struct {
	from string
	// get is errElsewhere where there is none and the next place has to be tried.
	get func(context.Context, *Settings, *Console) (session.Secret, error)
	// quiet tells whether there is one, asking nobody and running nothing; nil: there is if get works.
	quiet func(context.Context, *Settings) error
}

var errElsewhere = errors.New("no password there")

func passwordText(p session.Secret, from string) source {
	return source{from: from, get: func(context.Context, *Settings, *Console) (session.Secret, error) { return p, nil }}
}

// Password asks one place after the other: by layers, as Resolve ranks them, and within a layer the password itself,
// then a file, a command, the keyring. A person is asked last.
func (s *Settings) Password(ctx context.Context, c *Console) (session.Secret, error) {
	for _, from := range s.passwords {
		p, err := from.get(ctx, s, c)
		switch {
		case err == nil:
			return p, nil
		case ctx.Err() != nil:
			return "", ctx.Err()
		case !errors.Is(err, errElsewhere):
			return "", fmt.Errorf("getting the password for %s: %s: %w", s.who(), from.from, err)
		}
	}
	if c.Ask != nil {
		return c.ask(ctx, s)
	}
	return "", fmt.Errorf("no password for %s: set VPERF_PASSWORD or GOVC_PASSWORD, name a file with --password-file or "+
		"VPERF_PASSWORD_FILE, a command with VPERF_PASSWORD_COMMAND, or keep it with a context (vperf context add --help)%s", s.who(), s.because())
}

func (c *Console) ask(ctx context.Context, s *Settings) (session.Secret, error) {
	p, err := c.Ask(ctx, "Password for "+s.who()+": ")
	if err == nil && p == "" {
		err = fmt.Errorf("no password for %s: nothing was typed", s.who())
	}
	return p, err
}

func (s *Settings) who() string {
	if s.url == nil {
		return s.Username.Text
	}
	return s.Username.Text + " at " + s.url.Host
}

// PasswordState says whether there is a password, without telling it.
type PasswordState struct {
	Set     bool   `json:"set"`
	From    string `json:"from,omitempty"`
	Problem string `json:"problem,omitempty"` // why the place that counts has none
}

// PasswordState looks for a password as Password does, but asks nobody and runs no command: one that is there is
// taken to work.
func (s *Settings) PasswordState(ctx context.Context) PasswordState {
	for _, from := range s.passwords {
		if from.quiet == nil {
			return PasswordState{Set: true, From: from.from}
		}
		err := from.quiet(ctx, s)
		if errors.Is(err, errElsewhere) {
			continue
		}
		if err != nil {
			return PasswordState{From: from.from, Problem: err.Error()}
		}
		return PasswordState{Set: true, From: from.from}
	}
	return PasswordState{}
}
