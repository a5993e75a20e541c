package vsphere

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
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	testUser     = "audit@vsphere.local"
	testPassword = "pa55-w0rd-of-the-test"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // the simulator logs what it does not implement
	// Every host copies these, slowly, and nobody reads them.
	config := esx.HostSystem.Config
	config.Firewall, config.Service, config.Certificate, config.FileSystemVolume = nil, nil, nil, nil
	os.Exit(m.Run())
}

// sim is a simulator behind real HTTPS.
type sim struct {
	*simulator.Model
	server *simulator.Server

	mu    sync.Mutex
	wraps []func(http.Handler) http.Handler
}

// building is held while a simulator is built: all of a process share some objects then.
var building sync.Mutex

func buildSim(t *testing.T, m *simulator.Model, shape func(*simulator.Model)) *simulator.Server {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	if m.Service == nil {
		require.NoError(t, m.Create())
	}
	if shape != nil {
		shape(m)
	}
	m.Service.TLS = new(tls.Config)
	m.Service.Listen = &url.URL{User: url.UserPassword(testUser, testPassword)}
	return m.Service.NewServer()
}

// startSim serves a model after shape has had its way with it.
func startSim(t *testing.T, m *simulator.Model, shape func(*simulator.Model)) *sim {
	t.Helper()
	s := &sim{Model: m, server: buildSim(t, m, shape)}
	s.server.Config.Handler = s.handler(s.server.Config.Handler)
	t.Cleanup(func() {
		_ = s.server.Config.Close() // not server.Close: it waits for requests that were given up
		m.Remove()
	})
	return s
}

func (s *sim) handler(next http.Handler) http.Handler {
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

// tamper puts a handler in front of the simulator; it sees the request's body.
func (s *sim) tamper(f func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler)) {
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

// rewrite changes the simulator's answers.
func (s *sim) rewrite(f func(request, answer []byte) []byte) {
	s.tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
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

func (s *sim) endpoint() Endpoint {
	u := *s.server.URL
	u.User = nil
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.TLS.Certificates[0].Certificate[0]})
	return Endpoint{URL: &u, User: testUser, Password: testPassword, CertificatePEM: cert, Name: "sim", CallTimeout: 10 * time.Second}
}

func (s *sim) dial(t *testing.T) *Session {
	t.Helper()
	return dial(t, s.endpoint())
}

func dial(t *testing.T, e Endpoint) *Session {
	t.Helper()
	session, err := Dial(t.Context(), e)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close(t.Context()) })
	return session
}

// smallVPX is one cluster with hosts, and one standalone host, with a VM each.
func smallVPX(hosts int) *simulator.Model {
	m := simulator.VPX()
	m.Host, m.ClusterHost, m.Cluster, m.Machine, m.Autostart, m.Portgroup = 1, hosts-1, 1, 1, false, 0
	if hosts == 1 {
		m.Host, m.Cluster = 1, 0
	}
	return m
}

// switchedVPX is smallVPX with a distributed switch.
func switchedVPX(hosts int) *simulator.Model {
	m := smallVPX(hosts)
	m.Portgroup = 1
	return m
}

// addHosts adds standalone hosts without the tasks that a client would have to wait for. They are like the first one
// but for most of its configuration, which is what takes the time.
func addHosts(t *testing.T, m *simulator.Model, n int) {
	t.Helper()
	folder := m.Map().Get(m.Map().Any("Datacenter").(*simulator.Datacenter).HostFolder).(*simulator.Folder)
	first := hostsOf(m)[0]
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

func needing(facts ...string) inventory.Needs {
	var n inventory.Needs
	n.AddFact(facts...)
	return n
}

// vms of a model, for shaping.
func vmsOf(m *simulator.Model) []*simulator.VirtualMachine {
	var all []*simulator.VirtualMachine
	for _, e := range m.Map().All("VirtualMachine") {
		all = append(all, e.(*simulator.VirtualMachine))
	}
	slices.SortFunc(all, func(a, b *simulator.VirtualMachine) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func hostsOf(m *simulator.Model) []*simulator.HostSystem {
	var all []*simulator.HostSystem
	for _, e := range m.Map().All("HostSystem") {
		all = append(all, e.(*simulator.HostSystem))
	}
	slices.SortFunc(all, func(a, b *simulator.HostSystem) int { return strings.Compare(a.Name, b.Name) })
	return all
}

const faultAnswer = `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
	`<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>%s</faultstring><detail><Fault xmlns="urn:vim25" xsi:type="%s">%s</Fault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`

func fault(w http.ResponseWriter, text, kind, body string) {
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprintf(w, faultAnswer, text, kind, body)
}
