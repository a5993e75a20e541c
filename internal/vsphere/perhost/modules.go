package perhost

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// PathModules is the property of a host that refers to the manager of its kernel modules.
const (
	PathModules = "configManager.kernelModuleSystem"
	NoModules   = "the server does not offer the kernel module system of this host"
)

// ModuleOptions returns the configured option string of a module of the host, or "" for none. It asks nothing of a host that hangs.
func (l *CommandLine) ModuleOptions(ctx context.Context, manager ref, module string) inventory.Fact[string] {
	if l.hung != nil {
		return inventory.Unread[string](session.Cause(l.hung))
	}
	options, err := moduleOptions(ctx, l.Session, manager, module)
	l.notice(ctx, err)
	return moduleFact(module, options, err)
}

// ModuleOptions returns the configured option string of a module, or "" for none.
func ModuleOptions(ctx context.Context, s *session.Session, manager ref, module string) inventory.Fact[string] {
	options, err := moduleOptions(ctx, s, manager, module)
	return moduleFact(module, options, err)
}

func moduleOptions(ctx context.Context, s *session.Session, manager ref, module string) (string, error) {
	res, err := methods.QueryConfiguredModuleOptionString(ctx, s, &types.QueryConfiguredModuleOptionString{This: manager, Name: module})
	if err != nil {
		return "", err
	}
	return res.Returnval, nil
}

// moduleFact is the answer as a fact.
func moduleFact(module, options string, err error) inventory.Fact[string] {
	if err == nil {
		return inventory.Known(options)
	}
	if session.IsFault[*types.NotFound](session.FaultOf(err)) {
		return inventory.Unread[string]("the host has no module " + session.Plain(module))
	}
	return inventory.Unread[string](session.Cause(err))
}
