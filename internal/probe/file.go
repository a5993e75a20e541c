package probe

import "github.com/vperf/vperf/pkg/inventory"

// Schema is the version of the format. Within v1 fields may be added, never renamed or removed.
const Schema = "vperf.probe/v1"

// File is a probe of one server and some of its hosts. It has no field for values of options, names, addresses, serial numbers or
// ids. Texts pass through a Redactor before they are stored.
type File struct {
	Schema  string `json:"schema"`
	Version string `json:"vperf"` // of vperf
	Day     string `json:"day"`   // when it was taken: 2006-01-02
	// Simulated is true if the server is a simulator: its definitions are not those of a real release.
	Simulated bool      `json:"simulated,omitempty"`
	Server    Server    `json:"server"`
	Counters  []Counter `json:"counters"` // of the PerformanceManager
	Hosts     []Host    `json:"hosts"`
}

// Server is the product that was asked.
type Server struct {
	Kind    string `json:"kind"` // vcenter or esxi
	Version string `json:"version"`
	Build   string `json:"build"`
	API     string `json:"api"` // version of the API
	Calls   []Call `json:"calls"`
}

// Call is one request and what became of it.
type Call struct {
	Name    string `json:"name"`            // the method, or "esxcli COMMAND"
	Outcome string `json:"outcome"`         // Answered, Refused, Unanswered or Skipped
	Fault   string `json:"fault,omitempty"` // the fault's name, such as NoPermission; of a skipped call the reason
	Millis  int64  `json:"ms"`              // duration
	Bytes   int    `json:"bytes,omitempty"` // of a long text in the answer
}

// Outcomes of calls.
const (
	Answered   = "answered"
	Refused    = "refused"    // the server returned a fault
	Unanswered = "unanswered" // no answer within the limit, or the connection failed
	Skipped    = "skipped"    // not sent, because the server does not offer it or the time was over
)

// Counter is a counter of the PerformanceManager.
type Counter struct {
	Name        string `json:"name"`                  // cpu.ready.summation
	Unit        string `json:"unit"`                  // millisecond
	Stats       string `json:"stats"`                 // absolute, delta or rate
	Level       int32  `json:"level,omitempty"`       // statistics level from which vCenter stores it
	DeviceLevel int32  `json:"deviceLevel,omitempty"` // the same, for each device
}

// Host is one ESXi host.
type Host struct {
	Name    string `json:"name"` // invented: host-1
	Version string `json:"version"`
	Build   string `json:"build"`
	// Update is the update level, which versions before 7.0 do not contain; empty: not reported.
	Update   string   `json:"update,omitempty"`
	Hardware Hardware `json:"hardware"`
	// Options are the definitions of the tuning options, without values. OptionsRead is true if the host reported all of them.
	OptionsRead  bool      `json:"optionsRead"`
	Options      []Option  `json:"options"`
	OtherOptions int       `json:"otherOptions"` // definitions of other options, which are not written
	Drivers      []Driver  `json:"drivers"`
	Modules      []Module  `json:"modules"`
	Esxtop       *Esxtop   `json:"esxtop,omitempty"`
	Namespaces   []Space   `json:"esxcli"`
	Tables       []Table   `json:"tables"`
	Calls        []Call    `json:"calls"`
	Policies     []string  `json:"powerPolicies,omitempty"` // short names
	Metrics      []Metrics `json:"metrics,omitempty"`
}

// Hardware is the kind of server.
type Hardware struct {
	Vendor       string `json:"vendor,omitempty"`
	Model        string `json:"model,omitempty"`
	CPU          string `json:"cpu,omitempty"`
	PowerSupport string `json:"powerSupport,omitempty"` // cpuPowerManagementInfo.hardwareSupport
	NUMANodes    int    `json:"numaNodes,omitempty"`
	NodesWithPCI int    `json:"nodesWithPCI"` // NUMA nodes that list PCI devices
}

// Option is the definition of an advanced option.
type Option struct {
	Key     string  `json:"key"`
	Type    string  `json:"type"`              // bool, int, long, float, string or choice
	Default *string `json:"default,omitempty"` // absent: the host reports none, or it is hidden
	Hidden  bool    `json:"hidden,omitempty"`  // the default is a text that vperf does not know
	Min     *int64  `json:"min,omitempty"`
	Max     *int64  `json:"max,omitempty"`
	Choices int     `json:"choices,omitempty"` // number of choices
}

// Driver is a driver of NICs or host bus adapters, and a model of its devices.
type Driver struct {
	Kind     string `json:"kind"`   // nic or hba
	Driver   string `json:"driver"` // the kernel module
	Version  string `json:"version,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Model    string `json:"model,omitempty"`
	Devices  int    `json:"devices"`
}

// Module is a kernel module.
type Module struct {
	Name       string      `json:"name"`
	Version    string      `json:"version,omitempty"`
	Loaded     bool        `json:"loaded"`
	Parameters []Parameter `json:"parameters,omitempty"` // of drivers
}

// Parameter is a parameter that a module takes.
type Parameter struct {
	Name  string `json:"name"`
	Type  string `json:"type,omitempty"`
	About string `json:"about,omitempty"` // the driver's description
}

// Esxtop is the schema of a host's Esxtop service, and a part of one answer.
type Esxtop struct {
	Rows    []Row    `json:"rows"`
	Strange int      `json:"strange,omitempty"` // lines of the schema or the answer in another form, which are not written
	Sample  []string `json:"sample"`            // redacted lines of FetchStats
}

// Row is a kind of row of the Esxtop service.
type Row struct {
	Name   string   `json:"name"`
	Fields []string `json:"fields"` // NAME:TYPE in the order of the values
	Count  int      `json:"count"`  // rows in the answer
}

// Space is a name space of esxcli.
type Space struct {
	Name     string    `json:"name"`
	Commands []Command `json:"commands"`
}

// Command is a command of esxcli.
type Command struct {
	Name  string   `json:"name"`
	Flags []string `json:"flags,omitempty"`
}

// Table is the shape of an esxcli command's answer.
type Table struct {
	Command string   `json:"command"`
	Rows    int      `json:"rows"`
	Columns []Column `json:"columns"`
}

// Column is a column of a table. Its cells are not written.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // number, bool, text or empty: of all cells
}

// Metrics is the number of counters that the PerformanceManager offers for the host.
type Metrics struct {
	Interval  int32 `json:"interval"` // seconds
	Counters  int   `json:"counters"`
	Instances int   `json:"instances"`
}

// version parses the version of a host.
func (h *Host) version() (inventory.Version, error) { return inventory.ParseVersion(h.Version) }
