package probing

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
)

const cliParameters = "system module parameters list"

// readModules lists the kernel modules, with the parameters of those that drive NICs and host bus adapters. Configured values are
// not kept.
func (h *hostProber) readModules(ctx context.Context) {
	manager, known := property.Read(h.facts, pathModules, property.As[ref], property.Required).Value()
	h.calls.call(ctx, "QueryModules", func(ctx context.Context) error {
		if !known {
			return errNotOffered
		}
		res, err := methods.QueryModules(ctx, h.session, &types.QueryModules{This: manager})
		if err != nil {
			return err
		}
		for _, m := range res.Returnval {
			if name, ok := h.redactor.Word(m.Name); ok {
				h.out.Modules = append(h.out.Modules, probe.Module{Name: name, Version: h.redactor.Version(m.Version), Loaded: m.Loaded})
			}
		}
		return nil
	})
	drivers := h.drivers()
	for _, driver := range drivers {
		h.calls.call(ctx, "QueryConfiguredModuleOptionString "+driver, func(ctx context.Context) error {
			if !known {
				return errNotOffered
			}
			_, err := methods.QueryConfiguredModuleOptionString(ctx, h.session, &types.QueryConfiguredModuleOptionString{This: manager, Name: driver})
			return err
		})
		h.readParameters(ctx, driver)
	}
}

// drivers lists the modules of the host's NICs and host bus adapters.
func (h *hostProber) drivers() []string {
	var all []string
	for _, d := range h.out.Drivers {
		if !slices.Contains(all, d.Driver) {
			all = append(all, d.Driver)
		}
	}
	return all
}

func (h *hostProber) readParameters(ctx context.Context, driver string) {
	h.calls.call(ctx, "esxcli "+cliParameters+" -m "+driver, func(ctx context.Context) error {
		rows, err := h.cli.Try(ctx, cliParameters, perhost.Flag{Name: "-m", Value: driver})
		if err != nil {
			return err
		}
		at := slices.IndexFunc(h.out.Modules, func(m probe.Module) bool { return m.Name == driver })
		if at < 0 {
			h.out.Modules = append(h.out.Modules, probe.Module{Name: driver})
			at = len(h.out.Modules) - 1
		}
		for _, row := range rows {
			if p, ok := h.parameter(row); ok {
				h.out.Modules[at].Parameters = append(h.out.Modules[at].Parameters, p)
			}
		}
		return nil
	})
}

func (h *hostProber) parameter(row esx.Values) (probe.Parameter, bool) {
	name, _ := perhost.Column(row, "Name")
	kind, _ := perhost.Column(row, "Type")
	about, _ := perhost.Column(row, "Description")
	name, ok := h.redactor.Word(name)
	kind, _ = h.redactor.Word(strings.ReplaceAll(kind, " ", "-"))
	return probe.Parameter{Name: name, Type: strings.ReplaceAll(h.redactor.Text(kind), "-", " "), About: h.redactor.Text(about)}, ok
}
