package cli

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
)

// intercept puts a proxy between vperf and the server that GOVC_* names.
func intercept(t *testing.T, hooks faulty.Hooks) *faulty.Proxy {
	t.Helper()
	proxy := faulty.New(t, &url.URL{Scheme: "https", Host: os.Getenv("GOVC_URL"), Path: "/sdk"}, hooks)
	ca := filepath.Join(t.TempDir(), "proxy.pem")
	require.NoError(t, os.WriteFile(ca, proxy.Certificate, 0o600))
	t.Setenv("GOVC_URL", proxy.URL.Host)
	t.Setenv("GOVC_TLS_CA_CERTS", ca)
	return proxy
}

// hostRef is the host of the recorded vCenter.
var hostRef = types.ManagedObjectReference{Type: "HostSystem", Value: "host-14"}

// misconfigured is the recorded vCenter with a limit of two VMs.
func misconfigured(t *testing.T) *simulator.Model {
	t.Helper()
	m := recordedVCenter(t)
	for _, id := range []string{"vm-21", "vm-22"} {
		vm := m.Map().Get(types.ManagedObjectReference{Type: "VirtualMachine", Value: id}).(*simulator.VirtualMachine)
		vm.Config.CpuAllocation.Limit = types.NewInt64(1000)
	}
	return m
}

func limitOf(m *simulator.Model, vm string) int64 {
	return *m.Map().Get(types.ManagedObjectReference{Type: "VirtualMachine", Value: vm}).(*simulator.VirtualMachine).Config.CpuAllocation.Limit
}

// The recorded vCenter loses its host or a VM while a plan reads settings. The VM is skipped with the reason, and plan and apply
// continue with the others.
func TestTargetThatVCenterNoLongerHas(t *testing.T) {
	proof.NotRaced(t)
	for name, c := range map[string]struct {
		kind, id string
		name     string
		rest     []string
	}{
		"nothing": {rest: []string{"NSX-Manager-0", "NSX-Manager-1"}},
		"a host":  {"HostSystem", "host-14", "", []string{"NSX-Manager-0", "NSX-Manager-1"}},
		"a VM":    {"VirtualMachine", "vm-21", "NSX-Manager-1", []string{"NSX-Manager-0"}},
	} {
		for _, command := range [][]string{{"plan"}, {"apply", "--yes", "--override-owner"}} {
			t.Run(name+" "+command[0], func(t *testing.T) {
				m := misconfigured(t)
				serve(t, m)
				host := m.Map().Get(hostRef)
				gone := types.ManagedObjectReference{Type: c.kind, Value: c.id}
				intercept(t, faulty.Hooks{Serve: func(_ http.ResponseWriter, _ *http.Request, body []byte) bool {
					if c.id != "" && bytes.Contains(body, []byte(">"+c.id+"</obj>")) && m.Map().Get(gone) != nil {
						m.Map().Remove(simulator.NewContext(), gone)
					}
					if bytes.Contains(body, []byte("<ReconfigVM_Task")) && c.kind == "HostSystem" {
						m.Map().Put(host) // the simulator cannot change a VM without it
					}
					return false
				}})
				code, stdout, stderr := vperf(t, append(command, "--rule", "cpu-limit")...)
				require.Zero(t, code, "%s%s", stdout, stderr)
				for _, word := range c.rest {
					require.Contains(t, stdout+stderr, word)
				}
				if c.name != "" {
					require.Regexp(t, `REFUSED +`+c.name+` .* has no vm `+c.id, stdout+stderr)
				}
				require.Equal(t, command[0] == "apply", limitOf(m, "vm-22") == -1, "the VM that is left is changed by apply alone")
			})
		}
	}
}
