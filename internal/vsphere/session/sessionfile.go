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

	"github.com/vperf/vperf/internal/userfile"
)

// sessionFile returns the file in which govc keeps the endpoint's session, or "" if it is not to be saved. Its name depends on
// everything that distinguishes sessions.
func (e Endpoint) sessionFile() string {
	if e.SessionDir == "" || e.User == "" {
		return ""
	}
	u := url.URL{Scheme: e.URL.Scheme, Host: e.URL.Host, Path: vim25.Path, User: url.User(e.User)}
	key := fmt.Sprintf("%s#insecure=%t", u.String(), e.Insecure)
	return filepath.Join(e.SessionDir, fmt.Sprintf("%064x", sha256.Sum256([]byte(key))))
}

// resume resumes the session that an earlier command saved, if it is still open. An unreadable or invalid file is ignored.
func (s *Session) resume(ctx context.Context) error {
	cookies, err := savedCookies(s.endpoint.sessionFile())
	if len(cookies) == 0 {
		return err
	}
	s.client.Jar.SetCookies(s.endpoint.URL, cookies)
	open, err := s.loggedIn(ctx)
	s.kept.Store(open)
	if !open {
		s.client.Jar, _ = cookiejar.New(nil) // never fails
	}
	return err
}

// savedCookies reads only the cookies of a file: the endpoint itself defines the server and how it is trusted. A file that another user
// may have written is an error: its session may be that user's.
func savedCookies(file string) ([]*http.Cookie, error) {
	if file == "" {
		return nil, nil
	}
	f, err := userfile.Open(file)
	if err != nil {
		return nil, nil // without it, there is a login
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil {
		if err := userfile.Owned(file, info, userfile.OthersRead); err != nil {
			return nil, fmt.Errorf("the saved session %s: %w; or remove it, and vperf logs in again", file, err)
		}
	}
	var saved struct {
		SoapClient struct {
			Cookies []*http.Cookie `json:"cookies"`
		}
	}
	// Not the whole file: govc overwrites longer files without truncating them.
	if json.NewDecoder(userfile.Session.Bound(f)).Decode(&saved) != nil {
		return nil, nil
	}
	var cookies []*http.Cookie
	for _, c := range saved.SoapClient.Cookies {
		if c != nil {
			cookies = append(cookies, &http.Cookie{Name: c.Name, Value: c.Value, Path: "/", Secure: true})
		}
	}
	return cookies, nil
}

// loggedIn asks whether the session is open. A fault as the answer means that it is not.
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

// keep saves the session for the next command. If that is not possible, Close ends it.
func (s *Session) keep() {
	if file := s.endpoint.sessionFile(); file != "" {
		s.kept.Store(s.save(file) == nil)
	}
}

// save writes the format of govmomi's session cache. It replaces the file atomically, because other processes may be reading it.
func (s *Session) save(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".vperf-*") // readable by the user only
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
