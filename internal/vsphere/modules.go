package vsphere

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// pathModules leads from a host to the object that knows its kernel modules.
const (
	pathModules = "configManager.kernelModuleSystem"
	noModules   = "the server names no kernel module system of this host"
)

// moduleOptions is the option string configured for a module; "" is none.
func moduleOptions(ctx context.Context, s *Session, manager ref, module string) inventory.Fact[string] {
	res, err := methods.QueryConfiguredModuleOptionString(ctx, s, &types.QueryConfiguredModuleOptionString{This: manager, Name: module})
	if err == nil {
		return inventory.Known(res.Returnval)
	}
	if isFault[*types.NotFound](faultOf(err)) {
		return inventory.Unread[string]("the host has no module " + plain(module))
	}
	return inventory.Unread[string](why(err))
}
