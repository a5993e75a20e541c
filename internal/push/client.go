package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"

	promconfig "github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/userfile"
)

// client is an HTTP client for one receiver.
type client struct {
	*http.Client

	secret   bool // it has credentials
	insecure bool // it does not verify certificates
}

// client returns the client of a receiver. It verifies certificates unless the file says otherwise, reads secrets from
// files at each request, and never follows a redirect: vperf connects to no address that is not configured.
func (r receiver) client(version string) (client, error) {
	c, err := r.settings()
	if err != nil {
		return client{}, err
	}
	rt, err := promconfig.NewRoundTripperFromConfig(c, "vperf", promconfig.WithUserAgent("vperf/"+version))
	if err != nil {
		return client{}, err
	}
	return client{
		Client: &http.Client{Transport: &transport{rt}, CheckRedirect: stay},
		secret: len(secretFiles(&c)) > 0, insecure: c.TLSConfig.InsecureSkipVerify,
	}, nil
}

// stay follows no redirect.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// settings reads the configuration file.
func (r receiver) settings() (c promconfig.HTTPClientConfig, err error) {
	c = promconfig.DefaultHTTPClientConfig
	if r.ConfigFile == "" {
		return c, nil
	}
	file, err := userfile.Open(r.ConfigFile)
	if err != nil {
		return c, withoutPath(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	d := yaml.NewDecoder(userfile.Text(io.LimitReader(file, longestAnswer)))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return c, err
	}
	if inline(&c) {
		return c, errors.New("it contains a secret: write the secret into a file of its own, and name that with password_file, credentials_file or client_secret_file")
	}
	c.SetDirectory(filepath.Dir(r.ConfigFile))
	for _, path := range secretFiles(&c) {
		if err := isPrivate(path); err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
	}
	return c, nil
}

// inline reports whether a configuration contains a secret.
func inline(c *promconfig.HTTPClientConfig) bool {
	if c.HTTPHeaders != nil {
		for _, h := range c.HTTPHeaders.Headers {
			if len(h.Secrets) > 0 {
				return true
			}
		}
	}
	return c.BearerToken != "" || c.TLSConfig.Key != "" || c.BasicAuth != nil && c.BasicAuth.Password != "" ||
		c.Authorization != nil && c.Authorization.Credentials != "" || c.OAuth2 != nil && (c.OAuth2.ClientSecret != "" || c.OAuth2.TLSConfig.Key != "")
}

// secretFiles returns the files with secrets.
func secretFiles(c *promconfig.HTTPClientConfig) (list []string) {
	all := []string{c.TLSConfig.KeyFile, c.BearerTokenFile}
	if c.HTTPHeaders != nil {
		for _, h := range c.HTTPHeaders.Headers {
			all = append(all, h.Files...)
		}
	}
	if c.BasicAuth != nil {
		all = append(all, c.BasicAuth.PasswordFile)
	}
	if c.Authorization != nil {
		all = append(all, c.Authorization.CredentialsFile)
	}
	if c.OAuth2 != nil {
		all = append(all, c.OAuth2.ClientSecretFile, c.OAuth2.TLSConfig.KeyFile)
	}
	for _, path := range all {
		if path != "" {
			list = append(list, path)
		}
	}
	return list
}

// isPrivate checks a file with a secret as password files of contexts are checked.
func isPrivate(path string) error {
	file, err := userfile.Open(path)
	if err != nil {
		return withoutPath(err)
	}
	defer func() { _ = file.Close() }() // it is read elsewhere
	info, err := file.Stat()
	if err != nil {
		return withoutPath(err)
	}
	if err := userfile.Allows(path, info, userfile.OthersRead); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, userfile.Text(io.LimitReader(file, longestAnswer)))
	return err
}

// withoutPath returns an error without its path, which the caller adds.
func withoutPath(err error) error {
	if e, is := errors.AsType[*fs.PathError](err); is {
		return e.Err
	}
	return err
}

// longestAnswer limits what is read of an answer.
const longestAnswer = 64 << 10

// transport reads answers up to a limit. Where reading one fails, the request failed. A request with a context of
// [withStatus] stores the status of its answer there.
type transport struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, longestAnswer))
	_ = res.Body.Close() // it is read
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	res.Body = io.NopCloser(bytes.NewReader(answer))
	if to, asked := r.Context().Value(statusKey{}).(*int); asked {
		*to = res.StatusCode
	}
	return res, nil
}

type statusKey struct{}

// withStatus returns a context whose request stores the status code of its answer.
func withStatus(ctx context.Context, to *int) context.Context {
	return context.WithValue(ctx, statusKey{}, to)
}
