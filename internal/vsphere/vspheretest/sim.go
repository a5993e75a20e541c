package vspheretest

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// The account of the tests. The password must not appear in any output.
const (
	TestUser     = "audit@vsphere.local"
	TestPassword = "pa55-w0rd-of-the-test"
)

func init() { //nolint:gochecknoinits // before any simulator of a test binary
	log.SetOutput(io.Discard) // the simulator logs what it does not implement
	// Every host copies these, which is slow, and no test reads them.
	config := esx.HostSystem.Config
	config.Firewall, config.Service, config.Certificate, config.FileSystemVolume = nil, nil, nil, nil
}

// Sim is a simulator with real HTTPS.
type Sim struct {
	*simulator.Model
	Server *simulator.Server

	mu    sync.Mutex
	wraps []func(http.Handler) http.Handler
}

// Building is held while a simulator is built, because all simulators of a process share some objects then.
var Building sync.Mutex

func buildSim(t *testing.T, m *simulator.Model, shape func(*simulator.Model)) *simulator.Server {
	t.Helper()
	Building.Lock()
	defer Building.Unlock()
	if m.Service == nil {
		require.NoError(t, m.Create())
	}
	if shape != nil {
		shape(m)
	}
	m.Service.TLS = new(tls.Config)
	m.Service.Listen = &url.URL{User: url.UserPassword(TestUser, TestPassword)}
	return m.Service.NewServer()
}

// Start serves a model after shape has modified it.
func Start(t *testing.T, m *simulator.Model, shape func(*simulator.Model)) *Sim {
	t.Helper()
	s := &Sim{Model: m, Server: buildSim(t, m, shape)}
	s.Server.Config.Handler = s.handler(s.Server.Config.Handler)
	t.Cleanup(func() {
		_ = s.Server.Config.Close() // not server.Close: it waits for abandoned requests
		m.Remove()
	})
	return s
}

func (s *Sim) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := next
		s.mu.Lock()
		for _, wrap := range s.wraps {
			h = wrap(h)
		}
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// Tamper adds a handler in front of the simulator; it sees the request's body.
func (s *Sim) Tamper(f func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wraps = append(s.wraps, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			f(w, r, body, next)
		})
	})
}

// Rewrite changes the simulator's answers.
func (s *Sim) Rewrite(f func(request, answer []byte) []byte) {
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		answer := f(body, rec.Body.Bytes())
		for k, v := range rec.Header() {
			if k != "Content-Length" {
				w.Header()[k] = v
			}
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(answer)
	})
}

// Endpoint returns how to reach the simulator, with its certificate and the test's account. Calls end after 10 s.
func (s *Sim) Endpoint() session.Endpoint {
	u := *s.Server.URL
	u.User = nil
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Server.TLS.Certificates[0].Certificate[0]})
	return session.Endpoint{URL: &u, User: TestUser, Password: TestPassword, CertificatePEM: cert, Name: "sim", CallTimeout: 10 * time.Second}
}

// Dial opens a session with the simulator that is closed at the end of the test.
func (s *Sim) Dial(t *testing.T) *session.Session {
	t.Helper()
	return Dial(t, s.Endpoint())
}

// Dial opens a session with an endpoint that is closed at the end of the test. The test fails if it cannot be opened.
func Dial(t testing.TB, e session.Endpoint) *session.Session {
	t.Helper()
	session, err := session.Dial(t.Context(), e)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close(t.Context()) })
	return session
}

// SmallVPX returns a model of one cluster with hosts, and one standalone host, with a VM on each host.
func SmallVPX(hosts int) *simulator.Model {
	m := simulator.VPX()
	m.Host, m.ClusterHost, m.Cluster, m.Machine, m.Autostart, m.Portgroup = 1, hosts-1, 1, 1, false, 0
	if hosts == 1 {
		m.Host, m.Cluster = 1, 0
	}
	return m
}

// SwitchedVPX returns SmallVPX with a distributed switch.
func SwitchedVPX(hosts int) *simulator.Model {
	m := SmallVPX(hosts)
	m.Portgroup = 1
	return m
}

// AddHosts adds standalone hosts without the tasks that a client would have to wait for. They equal the first host, except for
// most of its configuration, which takes long to copy.
func AddHosts(t *testing.T, m *simulator.Model, n int) {
	t.Helper()
	folder := m.Map().Get(m.Map().Any("Datacenter").(*simulator.Datacenter).HostFolder).(*simulator.Folder)
	first := HostsOf(m)[0]
	whole := first.Config
	defer func() { first.Config = whole }()
	first.Config = &types.HostConfigInfo{
		Product: whole.Product, Network: &types.HostNetworkInfo{}, VirtualNicManagerInfo: &types.HostVirtualNicManagerInfo{},
		StorageDevice: &types.HostStorageDeviceInfo{}, FileSystemVolume: &types.HostFileSystemVolumeInfo{},
	}
	for i := range n {
		like := types.HostConnectSpec{HostName: fmt.Sprintf("more%02d.example", i), UserName: first.Name}
		host, fault := simulator.CreateStandaloneHost(m.Service.Context, folder, like)
		require.Nil(t, fault)
		host.Runtime.ConnectionState = types.HostSystemConnectionStateConnected
	}
}

// NeedsOf returns needs with only these facts, each written like VM.vcpus.
func NeedsOf(facts ...string) inventory.Needs {
	var n inventory.Needs
	n.AddFact(facts...)
	return n
}

// VmsOf returns the VMs of a model, sorted by name.
func VmsOf(m *simulator.Model) []*simulator.VirtualMachine {
	var all []*simulator.VirtualMachine
	for _, e := range m.Map().All("VirtualMachine") {
		all = append(all, e.(*simulator.VirtualMachine))
	}
	slices.SortFunc(all, func(a, b *simulator.VirtualMachine) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// HostsOf returns the hosts of a model, sorted by name.
func HostsOf(m *simulator.Model) []*simulator.HostSystem {
	var all []*simulator.HostSystem
	for _, e := range m.Map().All("HostSystem") {
		all = append(all, e.(*simulator.HostSystem))
	}
	slices.SortFunc(all, func(a, b *simulator.HostSystem) int { return strings.Compare(a.Name, b.Name) })
	return all
}

const faultAnswer = `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
	`<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>%s</faultstring><detail><Fault xmlns="urn:vim25" xsi:type="%s">%s</Fault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`

// Fault answers a request with a SOAP fault: its text, the type of its detail in the vim25 schema, and the XML inside the detail.
func Fault(w http.ResponseWriter, text, kind, body string) {
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprintf(w, faultAnswer, text, kind, body)
}
