package config

import (
	"context"
	"errors"
	"fmt"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Password asks one place after the other: by layers, in Resolve's order, and within a layer the password itself, then
// a file, a command, the keyring. The user is asked last.
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
		"VPERF_PASSWORD_FILE, set a command with VPERF_PASSWORD_COMMAND, or store it with a context (vperf context add --help)%s", s.who(), s.because())
}

func (c *Console) ask(ctx context.Context, s *Settings) (session.Secret, error) {
	p, err := c.Ask(ctx, "Password for "+s.who()+": ")
	if err == nil && p == "" {
		err = fmt.Errorf("no password for %s: the input was empty", s.who())
	}
	return p, err
}

// PasswordState says whether there is a password, without the password itself.
type PasswordState struct {
	Set     bool   `json:"set"`
	From    string `json:"from,omitempty"`
	Problem string `json:"problem,omitempty"` // why the effective place has none
}

// PasswordState looks for a password like Password, but does not ask the user or run a command: a configured command is
// assumed to work.
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
