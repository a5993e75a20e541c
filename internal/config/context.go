package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Context is a named server. It says where the password is stored and never contains it.
type Context struct {
	Name     string
	URL      string
	Username string
	// The place of the password: a file, the output of a command, or the keyring of the operating system.
	PasswordFile    string
	PasswordCommand string
	Keyring         bool
	// The certificate options. Insecure is nil if the context does not set it.
	Insecure   *bool
	CAFiles    string
	KnownHosts string
	Thumbprint string
}

// UnknownContextError reports that no context has this name.
type UnknownContextError struct {
	Name string
	Near []string // similar names
	File string   // the file with the contexts
	None bool     // the file has no contexts
}

// Error says what to type instead.
func (e *UnknownContextError) Error() string {
	switch {
	case e.None:
		return fmt.Sprintf("there is no context %q: %s has no contexts; add one with vperf context add", e.Name, e.File)
	case len(e.Near) > 0:
		return fmt.Sprintf("there is no context %q; did you mean %s?", e.Name, strings.Join(e.Near, ", "))
	}
	return fmt.Sprintf("there is no context %q; vperf context list shows all contexts", e.Name)
}

// nameForm restricts names to characters that are safe in flags, comma-separated lists and output.
var nameForm = regexp.MustCompile(`^[\pL\pN][\pL\pN._@:-]*$`)

// check returns the errors in the context, with their keys.
func (c *Context) check(complain func(key string, err error)) {
	if !nameForm.MatchString(c.Name) {
		complain("name", fmt.Errorf("the context name %q is not valid: a name consists of letters, digits and . _ @ : -, and begins with a letter or digit", c.Name))
	}
	if err := checkURL(c.URL); err != nil {
		complain("url", err)
	}
	if err := CheckThumbprint(c.Thumbprint); err != nil {
		complain("tls-thumbprint", err)
	}
	if c.PasswordCommand != "" {
		if _, err := splitWords(c.PasswordCommand); err != nil {
			complain("password-command", fmt.Errorf("the password command %w", err))
		}
	}
	if c.passwordSources() > 1 {
		complain("name", fmt.Errorf("context %s has several password sources: keep one of password-file, password-command and keyring", c.Name))
	}
	if c.Keyring && c.user() == "" {
		complain("keyring", errors.New("the keyring stores passwords by user and server: add a username"))
	}
}

func (c *Context) passwordSources() int {
	n := 0
	for _, yes := range []bool{c.PasswordFile != "", c.PasswordCommand != "", c.Keyring} {
		if yes {
			n++
		}
	}
	return n
}

// user returns the context's user name, which may be in the URL.
func (c *Context) user() string {
	u, err := ParseURL(c.URL)
	if c.Username != "" || err != nil {
		return c.Username
	}
	return u.User.Username()
}

func checkURL(text string) error {
	if text == "" {
		return errors.New("the url is missing: write https://HOST or https://HOST/sdk")
	}
	u, err := ParseURL(text)
	if err != nil {
		return err
	}
	if _, given := u.User.Password(); given {
		return errPasswordInFile
	}
	return nil
}

var errPasswordInFile = errors.New("this file must not contain a password, because it may be copied, backed up or shared: " +
	"set its place with password-file, password-command or keyring: true, or set VPERF_PASSWORD")

// CheckThumbprint returns an error if a thumbprint is invalid; an empty one is valid.
func CheckThumbprint(s string) error {
	b, err := hex.DecodeString(strings.ReplaceAll(s, ":", ""))
	if err != nil || (len(b) != 0 && len(b) != 20 && len(b) != 32) {
		return errors.New("the thumbprint is not a SHA-1 or SHA-256 digest: write 20 or 32 bytes as AA:BB:…")
	}
	return nil
}
