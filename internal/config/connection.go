package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/viper"

	"github.com/vperf/vperf/internal/vsphere"
)

// Flags are the connection values given on the command line; empty ones were not given.
type Flags struct {
	URL        string
	Insecure   bool
	Thumbprint string
}

// ErrNoServer means that nothing says which server to talk to.
var ErrNoServer = errors.New("no server given")

// The keys of settings, as one viper instance knows them. All are flat: viper lower-cases keys, which would mangle
// anything that is spelled with capitals.
const (
	keyURL        = "url"
	keyUser       = "username"
	keyPassword   = "password"
	keyInsecure   = "insecure"
	keyCAFiles    = "tls-ca-certs"
	keyKnownHosts = "tls-known-hosts"
	keyThumbprint = "tls-thumbprint"
)

// environment binds each key to its variables; vperf's own come before govc's.
func environment() (*viper.Viper, error) {
	v := viper.New()
	for key, suffix := range map[string]string{
		keyURL: "URL", keyUser: "USERNAME", keyPassword: "PASSWORD", keyInsecure: "INSECURE",
		keyCAFiles: "TLS_CA_CERTS", keyKnownHosts: "TLS_KNOWN_HOSTS", keyThumbprint: "TLS_THUMBPRINT",
	} {
		if err := v.BindEnv(key, "VPERF_"+suffix, "GOVC_"+suffix); err != nil {
			return nil, fmt.Errorf("binding %s to the environment: %w", key, err)
		}
	}
	return v, nil
}

// Resolve finds the endpoint: a flag beats VPERF_*, which beats GOVC_*. A password is never taken from the command line,
// where every user of the machine could read it.
func Resolve(f Flags) (vsphere.Endpoint, error) {
	v, err := environment()
	if err != nil {
		return vsphere.Endpoint{}, err
	}
	e := vsphere.Endpoint{
		KnownHostsFile: v.GetString(keyKnownHosts),
		Thumbprint:     firstOf(f.Thumbprint, v.GetString(keyThumbprint)),
		CAFiles:        filepath.SplitList(v.GetString(keyCAFiles)),
	}
	if e.Insecure, err = insecure(f, v.GetString(keyInsecure)); err != nil {
		return e, err
	}
	return e, server(&e, f, v)
}

// server fills in the URL and who logs in.
func server(e *vsphere.Endpoint, f Flags, v *viper.Viper) error {
	text := firstOf(f.URL, v.GetString(keyURL))
	if text == "" {
		return ErrNoServer
	}
	u, err := ParseURL(text)
	if err != nil {
		return err
	}
	e.User = firstOf(v.GetString(keyUser), u.User.Username())
	password, given := u.User.Password()
	if given && f.URL != "" {
		return errors.New("a password on the command line can be read by every user of this machine: put it into VPERF_PASSWORD or GOVC_PASSWORD")
	}
	e.Password = vsphere.Secret(firstOf(v.GetString(keyPassword), password))
	u.User = nil
	e.URL = u
	if e.User == "" {
		return fmt.Errorf("no user for %s: set VPERF_USERNAME or GOVC_USERNAME", u.Host)
	}
	if e.Password == "" {
		return fmt.Errorf("no password for %s at %s: set VPERF_PASSWORD or GOVC_PASSWORD", e.User, u.Host)
	}
	return nil
}

// ParseURL reads a server as people type it: a bare name is https, and the SDK's path may be left out. Its errors never
// quote the text, which can hold a password.
func ParseURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the server's URL cannot be read: want https://HOST or https://HOST/sdk, with special characters of a user name written as %40 and the like")
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return nil, fmt.Errorf("the server's URL has scheme %q and host %q: want https://HOST or https://HOST/sdk", u.Scheme, u.Hostname())
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/sdk"
	}
	return u, nil
}

func insecure(f Flags, text string) (bool, error) {
	if f.Insecure || text == "" {
		return f.Insecure, nil
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("GOVC_INSECURE (or VPERF_INSECURE) is %q: want true or false", text)
	}
	return b, nil
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
