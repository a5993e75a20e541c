package config

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/viper"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Flags are the connection values of the command line; empty ones were not given. There is no password flag, because
// every user of the machine could read it.
type Flags struct {
	URL          string
	Username     string
	Insecure     bool
	Thumbprint   string
	PasswordFile string
}

func (f Flags) layer() *layer {
	l := newLayer()
	l.set(keyURL, f.URL, "flag --url")
	l.set(keyUser, f.Username, "flag --username")
	l.set(keyThumbprint, f.Thumbprint, "flag --thumbprint")
	if f.Insecure {
		l.set(keyInsecure, "true", "flag --insecure")
	}
	if f.PasswordFile != "" {
		l.passwords = append(l.passwords, passwordFile(f.PasswordFile, "flag --password-file"))
	}
	return l
}

// environment reads the variables with one prefix; two prefixes are two layers.
func environment(prefix string) (*viper.Viper, error) {
	v := viper.New()
	for _, key := range []string{
		keyURL, keyUser, keyInsecure, keyCAFiles, keyKnownHosts, keyThumbprint,
		keyPassword, keyPasswordFile, keyPasswordCommand, keyContext,
	} {
		if err := v.BindEnv(key, variable(prefix, key)); err != nil {
			return nil, fmt.Errorf("binding %s to the environment: %w", key, err)
		}
	}
	return v, nil
}

// variables are vperf's own or govc's. govc has no password file and no password command, so GOVC_ variables with such
// names are ignored.
func variables(prefix string) (*layer, error) {
	v, err := environment(prefix)
	if err != nil {
		return nil, err
	}
	l := newLayer()
	for _, key := range []string{keyURL, keyUser, keyInsecure, keyCAFiles, keyKnownHosts, keyThumbprint} {
		l.set(key, v.GetString(key), variable(prefix, key))
	}
	if _, given := l.values[keyThumbprint]; prefix == ownPrefix && !given {
		name := variable(prefix, "thumbprint") // the name of the flag
		l.set(keyThumbprint, os.Getenv(name), name)
	}
	if p := v.GetString(keyPassword); p != "" {
		l.passwords = append(l.passwords, passwordText(session.Secret(p), variable(prefix, keyPassword)))
	}
	if prefix == govcPrefix {
		return l, nil
	}
	if file := v.GetString(keyPasswordFile); file != "" {
		l.passwords = append(l.passwords, passwordFile(file, variable(prefix, keyPasswordFile)))
	}
	if command := v.GetString(keyPasswordCommand); command != "" {
		l.passwords = append(l.passwords, passwordCommand(command, variable(prefix, keyPasswordCommand)))
	}
	return l, nil
}

// layer returns the values of a context. Its files are relative to the config file.
func (c *Context) layer(file string) *layer {
	l := newLayer()
	from := fmt.Sprintf("context %s (%s)", c.Name, file)
	l.set(keyURL, c.URL, from)
	l.set(keyUser, c.Username, from)
	l.set(keyCAFiles, besideAll(file, c.CAFiles), from)
	l.set(keyKnownHosts, besideAll(file, c.KnownHosts), from)
	l.set(keyThumbprint, c.Thumbprint, from)
	if c.Insecure != nil {
		l.set(keyInsecure, strconv.FormatBool(*c.Insecure), from)
	}
	switch {
	case c.PasswordFile != "":
		l.passwords = append(l.passwords, passwordFile(beside(file, c.PasswordFile), from))
	case c.PasswordCommand != "":
		l.passwords = append(l.passwords, passwordCommand(c.PasswordCommand, from))
	case c.Keyring:
		l.passwords = append(l.passwords, passwordKeyring(from))
	}
	return l
}
