package read

import (
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/pkg/inventory"
)

// hostReader makes calls to one host. Its command line is opened with the first command.
type hostReader struct {
	*perhost.CommandLine
	host    *host
	modules inventory.Fact[ref] // the manager of its kernel modules
}

func hostRef(h *host) ref { return ref{Type: "HostSystem", Value: h.ID} }
