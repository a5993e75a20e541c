package process

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/vperf/vperf/internal/simfleet"
)

// Record describes a fleet in the background, so that other commands can find and end it.
type Record struct {
	PID        int       `json:"pid"`
	Started    time.Time `json:"started"`
	KnownHosts string    `json:"knownHosts"` // the file with the certificate's thumbprint
	Asked      string    `json:"asked"`      // the options it was started with
	Endpoints  []Place   `json:"endpoints"`
}

// Place is an endpoint in a record.
type Place struct {
	Name       string `json:"name"`
	URL        string `json:"url"`
	Host       string `json:"host"`
	User       string `json:"user"`
	Password   string `json:"password"`
	Thumbprint string `json:"thumbprint"`
}

// Places returns the endpoints of a fleet for a record.
func Places(f *simfleet.Fleet) []Place {
	var list []Place
	for _, e := range f.Endpoints() {
		list = append(list, Place{
			Name: e.Name, URL: e.URL.String(), Host: e.URL.Host, User: e.User, Password: e.Password, Thumbprint: e.Thumbprint,
		})
	}
	return list
}

const (
	recordName   = "background.json"
	aliveTimeout = 2 * time.Second
)

// ErrNoRecord is returned if no fleet runs in the background.
var ErrNoRecord = errors.New("no demo fleet runs in the background")

// RunningError reports a fleet that is already running.
type RunningError struct{ Record Record }

func (e *RunningError) Error() string {
	return fmt.Sprintf("a demo fleet runs in the background already (process %d, %s)", e.Record.PID, e.Record.Endpoints[0].URL)
}

// ReadRecord reads the record in a directory. An incomplete record is treated as missing.
func ReadRecord(dir string) (Record, error) {
	var r Record
	text, err := os.ReadFile(filepath.Join(filepath.Clean(dir), recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, ErrNoRecord
	}
	if err != nil {
		return r, fmt.Errorf("reading the record of the demo fleet: %w", err)
	}
	if json.Unmarshal(text, &r) != nil || r.PID <= 1 || len(r.Endpoints) == 0 {
		return Record{}, ErrNoRecord
	}
	return r, nil
}

// Write writes the record into a directory. It replaces a record only if its fleet no longer runs.
func (r Record) Write(ctx context.Context, dir string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	own, err := os.CreateTemp(dir, recordName+"-") // only its owner may read it
	if err != nil {
		return fmt.Errorf("recording the demo fleet: %w", err)
	}
	defer func() { _ = os.Remove(own.Name()) }()
	if _, err = own.Write(text); err == nil {
		err = own.Close()
	}
	if err != nil {
		return fmt.Errorf("recording the demo fleet: %w", err)
	}
	path := filepath.Join(dir, recordName)
	err = os.Link(own.Name(), path) // fails if a record exists
	if errors.Is(err, fs.ErrExist) {
		if old, readErr := ReadRecord(dir); readErr == nil && old.Alive(ctx) {
			return &RunningError{old}
		}
		err = os.Rename(own.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("recording the demo fleet: %w", err)
	}
	return nil
}

// Remove deletes the record in a directory, unless it is another fleet's.
func (r Record) Remove(dir string) {
	if now, err := ReadRecord(dir); errors.Is(err, ErrNoRecord) || err == nil && now.PID == r.PID {
		_ = os.Remove(filepath.Join(dir, recordName))
	}
}

// Alive reports whether the recorded fleet answers. It compares the certificate, which is unique to a fleet; process ids are
// reused.
func (r Record) Alive(ctx context.Context) bool {
	place := r.Endpoints[0]
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: aliveTimeout}, Config: &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // compared with the one that is recorded
		MinVersion:         tls.VersionTLS12,
		VerifyConnection: func(cs tls.ConnectionState) error {
			if simfleet.Thumbprint(cs.PeerCertificates[0].Raw) != place.Thumbprint {
				return errors.New("another certificate")
			}
			return nil
		},
	}}
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", place.Host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
