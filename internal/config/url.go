package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ParseURL parses a server: a bare name means https, and the SDK's path is optional. It refuses http, which would send
// the password in clear text. Its errors never contain the text, which can contain a password.
func ParseURL(text string) (*url.URL, error) {
	u, err := parseAny(text)
	if err == nil && u.Scheme == "http" {
		return nil, fmt.Errorf("http would send the password unencrypted: write https://%s", u.Host)
	}
	return u, err
}

// parseAny is ParseURL but accepts http too, to compare servers.
func parseAny(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the server's URL is not valid: write https://HOST or https://HOST/sdk, with special characters of a user name percent-encoded, such as %40 for @")
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return nil, fmt.Errorf("the server's URL has scheme %q and host %q: write https://HOST or https://HOST/sdk", u.Scheme, u.Hostname())
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/sdk"
	}
	return u, nil
}

var errPasswordTyped = errors.New("a password on the command line can be read by every user of this machine: put it into " +
	"VPERF_PASSWORD or GOVC_PASSWORD, or into a file for --password-file")

// CheckTypedURL refuses a URL on the command line that is invalid or contains a password.
func CheckTypedURL(text string) error {
	u, err := ParseURL(text)
	if err != nil {
		return err
	}
	if _, given := u.User.Password(); given {
		return errPasswordTyped
	}
	return nil
}

// WithoutPassword returns the text of a URL without a password; "" if it cannot be parsed.
func WithoutPassword(text string) string {
	u, err := parseAny(text)
	if err != nil {
		return ""
	}
	if _, given := u.User.Password(); !given {
		return text
	}
	u.User = url.User(u.User.Username())
	return u.String()
}

// server returns the host of a URL in a normal form for comparisons and keyrings: lower case, with the port only if it
// is not the default. It is empty for an invalid URL.
func server(text string) string {
	u, err := parseAny(text)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if port := u.Port(); port != "" && port != "443" {
		return host + ":" + port
	}
	return host
}
