package measure

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/inventory"
)

// newscast answers as a server that sends updates in vCenter's format.
type newscast struct {
	mu      sync.Mutex
	answers []string
	asked   []string // versions
}

func (x *newscast) handle(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
	if !bytes.Contains(body, asksForChanges) {
		next.ServeHTTP(w, r)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	_, version, _ := strings.Cut(string(body), "<version>")
	version, _, _ = strings.Cut(version, "</version>")
	x.asked = append(x.asked, version)
	if len(x.answers) == 0 {
		vspheretest.Fault(w, "the script is over", "InvalidRequest", "")
		return
	}
	answer := x.answers[0]
	x.answers = x.answers[1:]
	if answer == "cut off" {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "text/xml")
	_, _ = w.Write([]byte(answer))
}

const updatesAnswer = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body>
<WaitForUpdatesExResponse xmlns="urn:vim25">%s</WaitForUpdatesExResponse>
</soapenv:Body>
</soapenv:Envelope>`

func news(version string, truncated bool, updates ...string) string {
	return fmt.Sprintf(updatesAnswer, fmt.Sprintf(`<returnval><version>%s</version><filterSet><filter type="PropertyFilter">session[52b1]52c2</filter>%s</filterSet><truncated>%t</truncated></returnval>`,
		version, strings.Join(updates, ""), truncated))
}

var nothingNew = fmt.Sprintf(updatesAnswer, "")

// update returns an update of the object Type:id.
func update(kind, object string, changes ...string) string {
	typ, id, _ := strings.Cut(object, ":")
	return fmt.Sprintf(`<objectSet><kind>%s</kind><obj type="%s">%s</obj>%s</objectSet>`, kind, typ, id, strings.Join(changes, ""))
}

func change(op, name, value string) string {
	return fmt.Sprintf(`<changeSet><name>%s</name><op>%s</op>%s</changeSet>`, name, op, value)
}

func assigned(name, typ, value string) string {
	return change("assign", name, fmt.Sprintf(`<val xsi:type="%s">%s</val>`, typ, value))
}

func pointed(name, to string) string {
	typ, id, _ := strings.Cut(to, ":")
	return change("assign", name, fmt.Sprintf(`<val type="%s" xsi:type="ManagedObjectReference">%s</val>`, typ, id))
}

func missing(path, fault string) string {
	return fmt.Sprintf(`<missingSet><path>%s</path><fault><fault xsi:type="%s"/><localizedMessage/></fault></missingSet>`, path, fault)
}

// enters returns the updates that create a small inventory: one host, one VM folder and one VM.
func enters() []string {
	return []string{
		update("enter", "Datacenter:datacenter-2", assigned("name", "xsd:string", "dc"), pointed("parent", "Folder:group-d1")),
		update("enter", "Folder:group-v3", assigned("name", "xsd:string", "vm"), pointed("parent", "Datacenter:datacenter-2")),
		update("enter", "Folder:group-h4", assigned("name", "xsd:string", "host"), pointed("parent", "Datacenter:datacenter-2")),
		update("enter", "ComputeResource:domain-s5", assigned("name", "xsd:string", "esx"), pointed("parent", "Folder:group-h4")),
		update("enter", "HostSystem:host-7", assigned("name", "xsd:string", "esx"), pointed("parent", "ComputeResource:domain-s5"),
			assigned("runtime.connectionState", "HostSystemConnectionState", "connected"), assigned("runtime.powerState", "HostSystemPowerState", "poweredOn"),
			assigned("config.product.version", "xsd:string", "8.0.3"), assigned("summary.hardware.numCpuCores", "xsd:short", "32"),
			assigned("summary.hardware.numCpuThreads", "xsd:short", "64"), assigned("summary.hardware.memorySize", "xsd:long", "549755813888")),
		aVM("vm-9", "web"),
	}
}

func aVM(id, name string) string {
	return update("enter", "VirtualMachine:"+id, assigned("name", "xsd:string", name), pointed("parent", "Folder:group-v3"), pointed("runtime.host", "HostSystem:host-7"),
		assigned("runtime.powerState", "VirtualMachinePowerState", "poweredOn"), assigned("config.hardware.numCPU", "xsd:int", "4"),
		assigned("config.hardware.memoryMB", "xsd:int", "2048"), assigned("config.template", "xsd:boolean", "false"))
}

// TestChangesAsServersTellThem checks the effect of one change each, in all possible forms.
func TestChangesAsServersTellThem(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	x := new(newscast)
	s.Tamper(x.handle)
	conn := s.Dial(t)
	conn.SetForTest(session.TestSettings{RetryPause: 1})
	web := RosterVM{MoID: "vm-9", Name: "web", Host: "host-7", Power: "poweredOn", VCPUs: 4, MemoryBytes: 2 << 30, Path: rootless(s, "/dc/vm/web")}
	for name, c := range map[string]struct {
		answers []string
		vms     func(vm RosterVM) []RosterVM // on the host; nil: as before
		host    func(h RosterHost) bool
	}{
		"nothing": {answers: []string{nothingNew}},
		"assign without a value": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", change("assign", "config.hardware.numCPU", "")))},
			vms:     func(vm RosterVM) []RosterVM { vm.VCPUs = 0; return []RosterVM{vm} },
		},
		"assign nil": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", change("assign", "config.hardware.numCPU", `<val xsi:nil="true"/>`)))},
			vms:     func(vm RosterVM) []RosterVM { vm.VCPUs = 0; return []RosterVM{vm} },
		},
		"remove": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", change("remove", "config.hardware.memoryMB", "")))},
			vms:     func(vm RosterVM) []RosterVM { vm.MemoryBytes = 0; return []RosterVM{vm} },
		},
		"removed with its parent": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", change("indirectRemove", "config", "")))},
			vms:     func(vm RosterVM) []RosterVM { vm.MemoryBytes, vm.VCPUs = 0, 0; return []RosterVM{vm} },
		},
		"missing": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", missing("config.hardware", "SystemError")))},
			vms:     func(vm RosterVM) []RosterVM { vm.MemoryBytes, vm.VCPUs = 0, 0; return []RosterVM{vm} },
		},
		"no name": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", change("assign", "name", "")))},
			vms: func(vm RosterVM) []RosterVM {
				vm.Name, vm.Path = "vm-9", strings.Replace(vm.Path, "/web", "/vm-9", 1)
				return []RosterVM{vm}
			},
		},
		"what was not asked for": {answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", assigned("config.version", "xsd:string", "vmx-21")))}},
		"a value of another kind": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", assigned("config.hardware.numCPU", "xsd:string", "many")))},
			vms:     func(vm RosterVM) []RosterVM { vm.VCPUs = 0; return []RosterVM{vm} },
		},
		"of an unknown object": {answers: []string{news("2", false, update("modify", "VirtualMachine:vm-1", assigned("name", "xsd:string", "ghost")),
			update("leave", "VirtualMachine:vm-2"), update("modify", "HostSystem:host-1", assigned("name", "xsd:string", "ghost")), update("leave", "HostSystem:host-2"))}},
		"an object enters twice": {
			answers: []string{news("2", false, aVM("vm-9", "other"), aVM("vm-9", "web"), enters()[4])},
		},
		"an object comes, and is gone": {answers: []string{news("2", false, aVM("vm-10", "short"), update("leave", "VirtualMachine:vm-10"))}},
		"an object goes, and is back":  {answers: []string{news("2", false, update("leave", "VirtualMachine:vm-9"), aVM("vm-9", "web"))}},
		"a VM leaves its host": {
			answers: []string{news("2", false, update("modify", "VirtualMachine:vm-9", change("assign", "runtime.host", "")))},
			vms:     func(RosterVM) []RosterVM { return nil },
		},
		"a VM in a vApp": {
			answers: []string{news("2", false, update("enter", "VirtualApp:resgroup-v1", assigned("name", "xsd:string", "app"), pointed("parent", "Folder:group-v3")),
				update("modify", "VirtualMachine:vm-9", change("assign", "parent", ""), pointed("parentVApp", "VirtualApp:resgroup-v1")))},
			vms: func(vm RosterVM) []RosterVM {
				vm.Path = strings.Replace(vm.Path, "/web", "/app/web", 1)
				return []RosterVM{vm}
			},
		},
		"in pieces": {
			answers: []string{news("2", true, aVM("vm-10", "db")), news("3", true), news("4", false, update("leave", "VirtualMachine:vm-9"))},
			vms: func(vm RosterVM) []RosterVM {
				vm.MoID, vm.Name, vm.Path = "vm-10", "db", strings.Replace(vm.Path, "/web", "/db", 1)
				return []RosterVM{vm}
			},
		},
		"the host has no configuration": {
			answers: []string{news("2", false, update("modify", "HostSystem:host-7", change("assign", "config.product.version", ""), missing("runtime.connectionState", "NoPermission")))},
			host: func(h RosterHost) bool {
				_, state, _ := h.Version.Get()
				return state == inventory.StateUnread && h.Down != "" && h.Cores == 32
			},
		},
		"the host is back": {
			answers: []string{news("2", false, update("modify", "HostSystem:host-7", missing("runtime.connectionState", "NoPermission")),
				update("modify", "HostSystem:host-7", assigned("runtime.connectionState", "HostSystemConnectionState", "connected")))},
			host: func(h RosterHost) bool { return h.Down == "" },
		},
		"an answer is lost": {
			answers: []string{"cut off", news("2", false, update("modify", "VirtualMachine:vm-9", assigned("name", "xsd:string", "web")))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			x.answers, x.asked = append([]string{news("1", false, enters()...)}, c.answers...), nil
			r := watched(t, conn)
			require.Equal(t, []RosterVM{web}, r.VMs("host-7"))
			before := r.Hosts()
			require.Len(t, before, 1)
			require.Equal(t, 2, before[0].Threads)
			require.NoError(t, r.Refresh(t.Context()))
			want := []RosterVM{web}
			if c.vms != nil {
				want = c.vms(web)
			}
			require.Equal(t, want, r.VMs("host-7"))
			if c.host != nil {
				require.True(t, c.host(r.Hosts()[0]), "%+v", r.Hosts()[0])
			} else {
				require.Equal(t, before, r.Hosts())
			}
			require.Empty(t, x.answers, "all was asked for")
		})
	}
}

// rootless returns a path below a root without the script's datacenter.
func rootless(s *vspheretest.Sim, path string) string {
	if s.ServiceContent.RootFolder.Value == "group-d1" {
		return path
	}
	return "…" + path
}

// If a piece is missing, the pieces before it are discarded, and everything is read again next time.
func TestPieceThatDoesNotCome(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	x := new(newscast)
	s.Tamper(x.handle)
	conn := s.Dial(t)
	conn.SetForTest(session.TestSettings{RetryPause: 1})
	x.answers = []string{news("1", false, enters()...), news("2", true, update("leave", "VirtualMachine:vm-9")), "cut off", news("9", false, enters()...), nothingNew}
	r := watched(t, conn)
	before := r.VMs("host-7")
	require.Error(t, r.Refresh(t.Context()))
	require.Equal(t, before, r.VMs("host-7"))
	require.NoError(t, r.Refresh(t.Context()))
	require.Equal(t, before, r.VMs("host-7"))
	require.NoError(t, r.Refresh(t.Context()))
	require.Equal(t, []string{"", "1", "2", "", "9"}, x.asked)
}

// A destroyed view appears as all objects leaving, or as a missing object: neither is taken as a change.
func TestEverythingLeaves(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	x := new(newscast)
	s.Tamper(x.handle)
	conn := s.Dial(t)
	var all []string
	for _, of := range []string{"Datacenter:datacenter-2", "Folder:group-v3", "Folder:group-h4", "ComputeResource:domain-s5", "HostSystem:host-7", "VirtualMachine:vm-9"} {
		all = append(all, update("leave", of))
	}
	gone := `<missingSet><obj type="ContainerView">session[52b1]view</obj><fault><fault xsi:type="ManagedObjectNotFound"/><localizedMessage/></fault></missingSet>`
	over := update("modify", "VirtualMachine:vm-9", missing("name", "NotAuthenticated"))
	for _, answer := range []string{news("2", false, all...), news("2", false, gone), news("2", false, over)} {
		x.answers, x.asked = []string{news("1", false, enters()...), answer, news("5", false, enters()...)}, nil
		r := watched(t, conn)
		require.NoError(t, r.Refresh(t.Context()))
		require.Len(t, r.VMs("host-7"), 1)
		require.Equal(t, []string{"", "1", ""}, x.asked)
	}
	x.answers = []string{news("1", false, enters()...), news("2", false, gone), news("2", false, gone), news("2", false, gone)}
	r := watched(t, conn)
	require.Error(t, r.Refresh(t.Context()), "once, and not for ever")
	require.Empty(t, x.answers)
	require.Len(t, r.VMs("host-7"), 1)
}

// The changes above are decoded with govmomi's decoder and with vperf's.
func TestWireOfChanges(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{news("1", false, enters()...), nothingNew, news("2", true, update("leave", "VirtualMachine:vm-9"),
		update("modify", "HostSystem:host-7", change("assign", "name", ""), change("assign", "parent", `<val xsi:nil="true"/>`), missing("config", "NoPermission")))} {
		want, err := decodeReflectively([]byte(answer))
		require.NoError(t, err)
		got := new(methods.WaitForUpdatesExBody)
		require.NoError(t, soapwire.Page([]byte(answer), got))
		require.Equal(t, want, got)
	}
}
