package module

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/source"
)

// TestInventoryFollowsChanges: labels that are kept from page to page are those of a page that is made anew.
func TestInventoryFollowsChanges(t *testing.T) {
	hosts := []source.Host{{MoID: "host-1", Name: "esx1", Cluster: "a", Datacenter: "dc"}, {MoID: "host-2", Name: "esx2", Cluster: "b", Datacenter: "dc"}}
	vms := map[string][]source.VM{"host-1": {{MoID: "vm-1", Name: "web", Power: "poweredOn"}, {MoID: "vm-2", Name: "db", VCPUs: 2}}}
	tags := map[string]map[string]string{"vm-1": {"tag_team": "x"}}
	kept := new(Inventory)
	write := func(n *Inventory) string {
		var b bytes.Buffer
		w := exposition.NewWriter(&b, exposition.Text)
		n.Write(w, hosts, hosts, func(host string) []source.VM { return vms[host] }, tags)
		require.NoError(t, w.Close())
		return b.String()
	}
	last := ""
	for name, change := range []func(){
		func() {},
		func() { tags = map[string]map[string]string{"vm-1": {"tag_team": "y"}} },
		func() { tags = nil },
		func() { vms["host-1"][0].Name = "web-new" },
		func() { vms["host-1"][0].BIOSUUID = "ABC" },
		func() { vms["host-1"][1].Power = "poweredOff" },
		func() { vms = map[string][]source.VM{"host-2": vms["host-1"]} },
		func() { hosts[1].Cluster = "c" },
		func() { hosts[1].Name = "esx2.new" },
		func() { hosts[1].Datacenter = "dc2" },
		func() { vms["host-2"] = vms["host-2"][:1] },
		func() { vms["host-2"] = append(vms["host-2"], source.VM{MoID: "vm-2", Name: "other"}) },
	} {
		change()
		page := write(kept)
		require.Equal(t, write(new(Inventory)), page, name)
		require.NotEqual(t, last, page, name)
		last = page
	}
}

// TestLabelsAreMadeOnce: a page takes no memory for labels that an earlier one had.
func TestLabelsAreMadeOnce(t *testing.T) {
	hosts := []source.Host{{MoID: "host-1", Name: "esx1"}}
	var vms []source.VM
	for i := range 1000 {
		vms = append(vms, source.VM{MoID: fmt.Sprint("vm-", i), Name: fmt.Sprint("web-", i), UUID: "42", Power: "poweredOn", VCPUs: 2})
	}
	n := new(Inventory)
	allocations := testing.AllocsPerRun(3, func() {
		w := exposition.NewWriter(io.Discard, exposition.Text)
		n.Write(w, hosts, hosts, func(string) []source.VM { return vms }, nil)
	})
	require.Less(t, allocations, 200.0)
	require.Len(t, n.vms, len(vms))
	n.Write(exposition.NewWriter(io.Discard, exposition.Text), hosts, hosts, func(string) []source.VM { return vms[:10] }, nil)
	require.Len(t, n.vms, 10, "those that are gone are forgotten")
}
