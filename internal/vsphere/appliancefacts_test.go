package vsphere

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

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
		"a VM like any":          {map[string]any{pathName: "web-01", pathAnnotation: "ask Kim", pathGuest: "rhel9_64Guest"}, "", ""},
		"an agent":               {map[string]any{pathName: "a", "config.managedBy.extensionKey": "com.vmware.vim.eam", pathGuest: "x"}, "managed by com.vmware.vim.eam", ""},
		"an Edge":                {map[string]any{pathName: "e", pathProduct: product("nsx-edge", "VMware, Inc"), pathGuest: "x"}, "OVF product nsx-edge of VMware, Inc", ""},
		"no vendor":              {map[string]any{pathName: "e", pathProduct: product("NSX Edge", ""), pathGuest: "x"}, "OVF product NSX Edge", ""},
		"a Linux from an OVF":    {map[string]any{pathName: "u", pathProduct: product("Ubuntu 24.04 Server", "Canonical"), pathGuest: "x"}, "", ""},
		"vCenter":                {map[string]any{pathName: "v", pathAnnotation: "VMware vCenter Server Appliance", pathGuest: "x"}, "annotation VMware vCenter Server Appliance", ""},
		"vCLS":                   {map[string]any{pathName: "vCLS-1a2b", pathGuest: "x"}, "vCLS virtual machine, which vSphere runs for the cluster", ""},
		"looks like NSX Manager": {map[string]any{pathName: "NSX-Manager-0", pathGuest: "ubuntu64Guest"}, "", "the name and the guest ubuntu64Guest look like NSX"},
		"looks like vCenter":     {map[string]any{pathName: "dc1-vcenter", pathGuest: "other3xLinux64Guest"}, "", "the name and the guest other3xLinux64Guest look like vCenter Server"},
		"Windows of that name":   {map[string]any{pathName: "vcenter", pathGuest: "windows2019srv_64Guest"}, "", ""},
	} {
		v := vmOf(given(c.values))
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
		require.Equal(t, inventory.Known(want), vmOf(given(map[string]any{pathName: name})).VDIRole, name)
	}
}
