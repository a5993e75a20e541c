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

// Record is what is kept of a fleet that runs by itself, so that others find it and can end it.
type Record struct {
	PID        int       `json:"pid"`
	Started    time.Time `json:"started"`
	KnownHosts string    `json:"knownHosts"` // the file that names the certificate
	Asked      string    `json:"asked"`      // what it was started with
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

// Places are the endpoints of a fleet as records keep them.
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

// ErrNoRecord is returned where no fleet was left running.
var ErrNoRecord = errors.New("no demo fleet runs in the background")

// RunningError is a fleet that is in the way of another.
type RunningError struct{ Record Record }

func (e *RunningError) Error() string {
	return fmt.Sprintf("a demo fleet runs in the background already (process %d, %s)", e.Record.PID, e.Record.Endpoints[0].URL)
}

// ReadRecord reads the record in a directory. One that is not whole is as good as none.
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

// Write puts the record into a directory. It takes the place of one whose fleet is gone, and of no other.
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
	err = os.Link(own.Name(), path) // which fails where there is one
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

// Remove takes the record out of a directory, unless another fleet's has taken its place.
func (r Record) Remove(dir string) {
	if now, err := ReadRecord(dir); errors.Is(err, ErrNoRecord) || err == nil && now.PID == r.PID {
		_ = os.Remove(filepath.Join(dir, recordName))
	}
}

// Alive reports whether the recorded fleet answers. A process id says little, since systems use them again; a
// certificate that was made for this fleet says all.
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
