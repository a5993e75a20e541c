package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// steppedDemo is the variable with the address of a fleet whose clock is moved by the command that uses it, and that outlives the command.
const steppedDemo = "TEST_STEPPED_DEMO"

// leadToSteppedDemo is a demo's child that starts no fleet: it passes on what parent and fleet say.
func leadToSteppedDemo(address string) {
	conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		os.Exit(0) // the parent has gone
	}()
	_, _ = io.Copy(os.Stdout, conn)
	os.Exit(0)
}

// trialStage is vperf with a demo fleet that outlives its commands: a trial with --demo moves the clock, and the next command finds the
// fleet as the last one left it.
type trialStage struct {
	*program

	fleet *simfleet.Fleet
	front *faulty.Proxy // which commands reach the fleet through; nil: none

	mu    sync.Mutex
	began time.Time
	at    time.Time
	when  []appointment
}

// rows returns rows of a table: all in make prove, otherwise n of them.
func rows[T any](t *testing.T, n int, table map[string]T) map[string]T {
	t.Helper()
	some := map[string]T{}
	for _, name := range proof.Sample(t, n, slices.Sorted(maps.Keys(table))) {
		some[name] = table[name]
	}
	return some
}

// appointment is what a test does when the fleet's clock has come to a time.
type appointment struct {
	after time.Duration
	do    func()
}

// stageBegan is when a stage's clock begins. Load and its noise are functions of the time, so each run of the tests sees the same.
var stageBegan = time.Date(2026, 6, 10, 3, 0, 0, 0, time.UTC)

func newTrialStage(t *testing.T, cfg simfleet.Config) *trialStage {
	t.Helper()
	return newTrialStageAt(t, stageBegan, cfg)
}

// newTrialStageAt is as newTrialStage, for a fleet whose clock begins at a time. Commands without --demo know the fleet as their server.
func newTrialStageAt(t *testing.T, began time.Time, cfg simfleet.Config) *trialStage {
	t.Helper()
	s := &trialStage{began: began.Truncate(time.Second)}
	s.at = s.began
	cfg.Now, cfg.Zone, cfg.VCenterOnly = s.now, simfleet.MidMorning(s.at), true
	cfg.Lossless = true // so that the faults of a test are all that can drop a pair
	if cfg.Noise.Seed == 0 {
		cfg.Noise = simfleet.SteadyNoise(demoNoise, demoCorrelation)
	}
	var err error
	s.fleet, err = simfleet.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(s.fleet.Close)
	s.program = newProgram(t, s.fleet.Endpoints()[0])
	s.path = asVperf(t, t.TempDir())
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go s.serve(t, listener)
	s.env = append(s.env, steppedDemo+"="+listener.Addr().String())
	return s
}

// asVperf returns the path of this executable under the name vperf, with which it starts the demo's child, too.
func asVperf(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(dir, "vperf"+filepath.Ext(self))
	if filepath.Ext(self) == ".test" {
		path = filepath.Join(dir, "vperf")
	}
	if os.Link(self, path) == nil {
		return path
	}
	from, err := os.Open(self)
	require.NoError(t, err)
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, errors.Join(err, to.Close()))
	return path
}

func (s *trialStage) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// past returns the time since the start of the fleet by its clock.
func (s *trialStage) past() time.Duration { return s.now().Sub(s.began) }

// once calls do when the fleet's clock has come to a time since its start.
func (s *trialStage) once(after time.Duration, do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.when = append(s.when, appointment{after, do})
}

func (s *trialStage) serve(t *testing.T, listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go s.attend(t, conn)
	}
}

// attend is the side of the demo's child, as process.ServeReplay does it.
func (s *trialStage) attend(t *testing.T, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	at, certificate := s.fleet.URL(), s.fleet.CertificatePEM()
	if s.front != nil {
		at, certificate = s.front.URL, s.front.Certificate
	}
	err := json.NewEncoder(conn).Encode(map[string]string{
		"url": at.String(), "user": s.fleet.User(), "password": s.fleet.Password(), "certificate": string(certificate),
	})
	for lines := bufio.NewScanner(conn); err == nil && lines.Scan(); {
		var d time.Duration
		if d, err = time.ParseDuration(lines.Text()); !assert.NoError(t, err) {
			return
		}
		s.forward(d)
		_, err = fmt.Fprintln(conn, lines.Text())
	}
}

func (s *trialStage) forward(d time.Duration) {
	s.mu.Lock()
	s.at = s.at.Add(d)
	var due, later []appointment
	for _, a := range s.when {
		if s.at.Sub(s.began) >= a.after {
			due = append(due, a)
		} else {
			later = append(later, a)
		}
	}
	s.when = later
	s.mu.Unlock()
	for _, a := range due {
		a.do()
	}
}

// somebody is another client of the fleet's vCenter.
func (s *trialStage) somebody(t *testing.T) *govmomi.Client {
	t.Helper()
	u := *s.fleet.URL()
	u.User = url.UserPassword(s.fleet.User(), s.fleet.Password())
	c, err := govmomi.NewClient(t.Context(), &u, true)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Logout(t.Context()) })
	return c
}

// options is the manager of the options of a host.
func options(t *testing.T, c *govmomi.Client, host string) *object.OptionManager {
	t.Helper()
	h, err := find.NewFinder(c.Client).HostSystem(t.Context(), "/*/host/*/"+host)
	require.NoError(t, err)
	m, err := h.ConfigManager().OptionManager(t.Context())
	require.NoError(t, err)
	return m
}

// pinThreshold is the value of the option that a trial of numa-io switches.
func pinThreshold(t *testing.T, c *govmomi.Client) int64 {
	t.Helper()
	found, err := options(t, c, "host01.demo.local").Query(t.Context(), threshold)
	require.NoError(t, err)
	require.Len(t, found, 1)
	value, ok := found[0].GetOptionValue().Value.(int64)
	require.True(t, ok, "%T", found[0].GetOptionValue().Value)
	return value
}

// setPinThreshold sets the option of host01.
func setPinThreshold(t *testing.T, c *govmomi.Client, value int64) {
	t.Helper()
	err := options(t, c, "host01.demo.local").Update(t.Context(), []types.BaseOptionValue{&types.OptionValue{Key: threshold, Value: value}})
	assert.NoError(t, err)
}

// endSessions ends all sessions but that of a client, as a restart of vCenter does.
func endSessions(t *testing.T, c *govmomi.Client) {
	t.Helper()
	m := session.NewManager(c.Client)
	own, err := m.UserSession(t.Context())
	if !assert.NoError(t, err) {
		return
	}
	var manager mo.SessionManager
	if !assert.NoError(t, c.RetrieveOne(t.Context(), *c.ServiceContent.SessionManager, []string{"sessionList"}, &manager)) {
		return
	}
	var keys []string
	for _, other := range manager.SessionList {
		if other.Key != own.Key {
			keys = append(keys, other.Key)
		}
	}
	assert.NotEmpty(t, keys, "nobody is there")
	assert.NoError(t, m.TerminateSession(t.Context(), keys))
}
