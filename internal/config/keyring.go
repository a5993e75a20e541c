package config

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// keyringService is the service name of vperf's passwords in a keyring; the account is USER@HOST.
const keyringService = "vperf"

// keyringTimeout leaves time to unlock a keyring; a service that hangs must not block the next place.
var keyringTimeout = 30 * time.Second

// passwordKeyring never fails: a server usually has no keyring, and the password may be elsewhere.
func passwordKeyring(from string) source {
	return source{
		from: from + ": keyring",
		get: func(ctx context.Context, s *Settings, _ *Console) (session.Secret, error) {
			return fromKeyring(ctx, s.account())
		},
		quiet: func(ctx context.Context, s *Settings) error { _, err := fromKeyring(ctx, s.account()); return err },
	}
}

func (s *Settings) account() string { return s.Username.Text + "@" + server(s.URL.Text) }

func fromKeyring(ctx context.Context, account string) (session.Secret, error) {
	var p string
	err := inTime(ctx, func() (err error) {
		p, err = keyring.Get(keyringService, account)
		return err
	})
	if err != nil || p == "" {
		return "", errElsewhere
	}
	return session.Secret(p), nil
}

// StoreInKeyring stores the password of the context's user.
func (c *Context) StoreInKeyring(ctx context.Context, p session.Secret) error {
	err := inTime(ctx, func() error { return keyring.Set(keyringService, c.account(), string(p)) })
	if err != nil {
		return fmt.Errorf("storing the password of %s in the keyring: %w; without a keyring, use --password-file or --password-command", c.account(), err)
	}
	return nil
}

// ForgetInKeyring removes the password of the context's user, if there is one.
func (c *Context) ForgetInKeyring(ctx context.Context) error {
	err := inTime(ctx, func() error { return keyring.Delete(keyringService, c.account()) })
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return fmt.Errorf("removing the password of %s from the keyring: %w", c.account(), err)
	}
	return nil
}

func (c *Context) account() string { return c.user() + "@" + server(c.URL) }

// SharesKeyring reports whether another context uses the same entry of the keyring.
func (f *File) SharesKeyring(c *Context) bool {
	for _, o := range f.Contexts {
		if o.Name != c.Name && o.Keyring && o.account() == c.account() {
			return true
		}
	}
	return false
}

// inTime stops waiting for a call, but cannot cancel it: the library has no deadlines.
func inTime(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, keyringTimeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the keyring does not respond: %w", ctx.Err())
	}
}
