package tuning

import "github.com/vperf/vperf/pkg/inventory"

// Server is the vCenter or ESXi host a plan is for.
type Server struct {
	Name string `json:"name"` // as its context, or it itself, calls it
	UUID string `json:"uuid"` // its instance's; a rebuilt vCenter has another

	// The rest is for people who ask later where a run was. The UUID alone decides whether two servers are the same.
	Address string `json:"address,omitempty"` // host and port that the run connected to
	Product string `json:"product,omitempty"` // as the server reports it, with version and build
	// Sandbox means that the server says of itself that it is a simulator. Anybody can say so: no check is weaker for it.
	Sandbox bool `json:"sandbox,omitempty"`
}

// identity is the server without what differs from one connection or release to the next.
func (s Server) identity() Server { return Server{Name: s.Name, UUID: s.UUID} }

// Target is a managed object that carries settings: a host, a VM, a cluster, a pool, a switch or a datastore. Settings
// of a device belong to the object that has the device.
type Target struct {
	Kind inventory.Scope `json:"kind"`
	ID   string          `json:"id"`             // managed object id; a rebuilt inventory gives it to something else
	UUID string          `json:"uuid,omitempty"` // a host's hardware or a VM's instance UUID; other objects have none
	Name string          `json:"name"`           // text chosen by others
	Path string          `json:"path,omitempty"` // inventory path
}

// Key tells targets of one server apart.
func (t Target) Key() string { return string(t.Kind) + ":" + t.ID }

// Address names one setting of a target.
type Address struct {
	Setting string `json:"setting"`          // as rules write it: host-option/KEY, vm-latency
	Device  string `json:"device,omitempty"` // whose setting it is within the target: a driver's module, a LUN, a disk's device key
	Label   string `json:"label,omitempty"`  // the device as people know it, such as Hard disk 1; says nothing about identity
}

// Key tells settings of one target apart.
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
