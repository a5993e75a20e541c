package vmfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestAppliances(t *testing.T) {
	product := func(name, vendor string) types.ArrayOfVAppProductInfo {
		return types.ArrayOfVAppProductInfo{VAppProductInfo: []types.VAppProductInfo{{}, {Name: name, Vendor: vendor}}}
	}
	for name, c := range map[string]struct {
		values      map[string]any
		want, maybe string
	}{
		"a VM like any":          {map[string]any{tree.PathName: "web-01", pathAnnotation: "ask Kim", tree.PathGuest: "rhel9_64Guest"}, "", ""},
		"an agent":               {map[string]any{tree.PathName: "a", "config.managedBy.extensionKey": "com.vmware.vim.eam", tree.PathGuest: "x"}, "managed by com.vmware.vim.eam", ""},
		"an Edge":                {map[string]any{tree.PathName: "e", PathProduct: product("nsx-edge", "VMware, Inc"), tree.PathGuest: "x"}, "OVF product nsx-edge of VMware, Inc", ""},
		"no vendor":              {map[string]any{tree.PathName: "e", PathProduct: product("NSX Edge", ""), tree.PathGuest: "x"}, "OVF product NSX Edge", ""},
		"a Linux from an OVF":    {map[string]any{tree.PathName: "u", PathProduct: product("Ubuntu 24.04 Server", "Canonical"), tree.PathGuest: "x"}, "", ""},
		"vCenter":                {map[string]any{tree.PathName: "v", pathAnnotation: "VMware vCenter Server Appliance", tree.PathGuest: "x"}, "annotation VMware vCenter Server Appliance", ""},
		"vCLS":                   {map[string]any{tree.PathName: "vCLS-1a2b", tree.PathGuest: "x"}, "vCLS virtual machine, which vSphere runs for the cluster", ""},
		"looks like NSX Manager": {map[string]any{tree.PathName: "NSX-Manager-0", tree.PathGuest: "ubuntu64Guest"}, "", "the name and the guest ubuntu64Guest look like NSX"},
		"looks like vCenter":     {map[string]any{tree.PathName: "dc1-vcenter", tree.PathGuest: "other3xLinux64Guest"}, "", "the name and the guest other3xLinux64Guest look like vCenter Server"},
		"Windows of that name":   {map[string]any{tree.PathName: "vcenter", tree.PathGuest: "windows2019srv_64Guest"}, "", ""},
	} {
		v := vmOf(vspheretest.Given(c.values))
		require.Equal(t, inventory.Known(c.want), v.Appliance, name)
		require.Equal(t, inventory.Known(c.maybe), v.MaybeAppliance, name)
	}
}

func TestVDIRole(t *testing.T) {
	for name, want := range map[string]string{
		"cp-template-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9": "template",
		"cp-replica-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9":  "replica",
		"cp-parent-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9":   "parent",
		"cp-parent-of-ours": "",
		"desktop-001":       "",
	} {
		require.Equal(t, inventory.Known(want), vmOf(vspheretest.Given(map[string]any{tree.PathName: name})).VDIRole, name)
	}
}
