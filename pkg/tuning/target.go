package tuning

import "github.com/vperf/vperf/pkg/inventory"

// Server is the vCenter or ESXi host that a plan is for.
type Server struct {
	Name string `json:"name"` // the name of its context, or its own name
	UUID string `json:"uuid"` // the instance UUID; a rebuilt vCenter has another

	// The other fields show later where a run was made. Only the UUID decides whether two servers are the same.
	Address string `json:"address,omitempty"` // host and port that the run connected to
	Product string `json:"product,omitempty"` // as the server reports it, with version and build
	// Sandbox is true if the server claims to be a simulator. Any server can claim that, so no check depends on it.
	Sandbox bool `json:"sandbox,omitempty"`
}

// identity returns the server without the fields that differ between connections and releases.
func (s Server) identity() Server { return Server{Name: s.Name, UUID: s.UUID} }

// Target is a managed object that has settings: a host, a VM, a cluster, a pool, a switch or a datastore. Settings of a
// device belong to the object that has the device.
type Target struct {
	Kind inventory.Scope `json:"kind"`
	ID   string          `json:"id"`             // managed object id; a rebuilt inventory reuses it for other objects
	UUID string          `json:"uuid,omitempty"` // a host's hardware UUID or a VM's instance UUID; empty for other objects
	Name string          `json:"name"`           // untrusted text
	Path string          `json:"path,omitempty"` // inventory path
}

// Key identifies a target within its server.
func (t Target) Key() string { return string(t.Kind) + ":" + t.ID }

// Address names one setting of a target.
type Address struct {
	Setting string `json:"setting"`          // as rules write it: host-option/KEY, vm-latency
	Device  string `json:"device,omitempty"` // the device within the target: a driver's module, a LUN, a disk's device key
	Label   string `json:"label,omitempty"`  // the device's display name, such as Hard disk 1; not part of its identity
}

// Key identifies a setting within its target.
func (a Address) Key() string {
	if a.Device == "" {
		return a.Setting
	}
	return a.Device + " " + a.Setting
}

// Assignment is a value for a setting. An absent value removes the setting, as with a VMX key or a driver's option.
type Assignment struct {
	Address
	Value inventory.Fact[inventory.Value] `json:"value"`
}

func host(id string) Target    { return Target{Kind: inventory.ScopeHost, ID: id} }
func cluster(id string) Target { return Target{Kind: inventory.ScopeCluster, ID: id} }

func isHost(t Target) bool { return t.Kind == inventory.ScopeHost }
func isVM(t Target) bool   { return t.Kind == inventory.ScopeVM }
