package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// sessionFile is the file that govc keeps the endpoint's session in, or "" where none is to be kept. Its name is made
// of all that makes a session another one.
func (e Endpoint) sessionFile() string {
	if e.SessionDir == "" || e.User == "" {
		return ""
	}
	u := url.URL{Scheme: e.URL.Scheme, Host: e.URL.Host, Path: vim25.Path, User: url.User(e.User)}
	key := fmt.Sprintf("%s#insecure=%t", u.String(), e.Insecure)
	return filepath.Join(e.SessionDir, fmt.Sprintf("%064x", sha256.Sum256([]byte(key))))
}

// resume takes up the session that an earlier command left, if it is still open. A file that cannot be read or makes
// no sense is no session.
func (s *Session) resume(ctx context.Context) error {
	cookies := savedCookies(s.endpoint.sessionFile())
	if len(cookies) == 0 {
		return nil
	}
	s.client.Jar.SetCookies(s.endpoint.URL, cookies)
	open, err := s.loggedIn(ctx)
	s.kept.Store(open)
	if !open {
		s.client.Jar, _ = cookiejar.New(nil) // never fails
	}
	return err
}

// savedCookies takes nothing else from a file: what server it is and how it is trusted is the endpoint's to say.
func savedCookies(file string) []*http.Cookie {
	if file == "" {
		return nil
	}
	f, err := os.Open(filepath.Clean(file))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var saved struct {
		SoapClient struct {
			Cookies []*http.Cookie `json:"cookies"`
		}
	}
	// Not the whole file: govc overwrites longer ones without cutting them.
	if json.NewDecoder(f).Decode(&saved) != nil {
		return nil
	}
	var cookies []*http.Cookie
	for _, c := range saved.SoapClient.Cookies {
		if c != nil {
			cookies = append(cookies, &http.Cookie{Name: c.Name, Value: c.Value, Path: "/", Secure: true})
		}
	}
	return cookies
}

// loggedIn asks whether the session is open. A server that answers with a fault knows nothing of it.
func (s *Session) loggedIn(ctx context.Context) (bool, error) {
	manager := *s.client.ServiceContent.SessionManager
	res, err := methods.RetrievePropertiesEx(ctx, s.call, &types.RetrievePropertiesEx{
		This: s.client.ServiceContent.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{{
			PropSet:   []types.PropertySpec{{Type: manager.Type, PathSet: []string{"currentSession"}}},
			ObjectSet: []types.ObjectSpec{{Obj: manager}},
		}},
	})
	var broken *ConnectError
	switch {
	case ctx.Err() != nil || errors.As(err, &broken):
		return false, err
	case err == nil && res.Returnval != nil:
		return hasValue(res.Returnval.Objects), nil
	}
	return false, nil
}

func hasValue(objects []types.ObjectContent) bool {
	for _, o := range objects {
		for _, p := range o.PropSet {
			if p.Val != nil {
				return true
			}
		}
	}
	return false
}

// keep leaves the session for the next command. Where that cannot be done it is one that Close ends.
func (s *Session) keep() {
	if file := s.endpoint.sessionFile(); file != "" {
		s.kept.Store(s.save(file) == nil)
	}
}

// save writes what govmomi's own session cache writes, and writes it at once: others may be reading.
func (s *Session) save(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".vperf-*") // for the user alone
	if err != nil {
		return err
	}
	err = errors.Join(json.NewEncoder(f).Encode(s.client), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
