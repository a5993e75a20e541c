package script

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// esxcliPrelude has the functions of scripts for esxcli.
//
//go:embed esxcli.sh
var esxcliPrelude string

// ESXCLI writes a plan as a shell script for the hosts themselves. Each host makes only its own changes, identified by
// its hardware's UUID.
func ESXCLI(w io.Writer, plan *tuning.Plan) error {
	s := &shell{moves: moves(plan, esxcliOf), guard: func(m *move) string { return "here " + quoted(m.target.UUID) }}
	s.WriteString("#!/bin/sh\n")
	s.comment(heading(plan, "the ESXi shell")...)
	s.comment("Copy it to each host named below and run it there:",
		"usage: sh FILE apply     makes the changes for this host", "       sh FILE undo      undoes them, newest first")
	s.WriteString(prelude + esxcliPrelude)
	s.functions()
	s.run("  host=$(vim-cmd hostsvc/hostsummary) || stop 'this is not an ESXi host'\n")
	s.WriteString("[ \"$changes\" -gt 0 ] || stop 'this script has no change for this host'\nexit $left\n")
	return s.writeTo(w, "esxcli")
}

func esxcliOf(t tuning.Target, a tuning.Address) way {
	switch {
	case t.Kind != inventory.ScopeHost:
		return cannot("esxcli cannot change a %s", t.Kind)
	case t.UUID == "":
		return cannot("the hardware UUID of the host is not known, so the script could run on the wrong host")
	}
	return wayOf("esxcli has no command for %s", func(k tools) ways { return k.esxcli })(t, a)
}

// onHost is the esxcli of the host on which the script runs.
var onHost = esxcliWay{"esxcli", func(name string) string { return "field " + quoted(name) }}

func esxcliDriver(_ tuning.Target, device, key string) way {
	return way{
		read:  "option " + words(device, key),
		write: func(v value) string { return driverOption(device, key, textOf(v)) },
	}
}

// driverOption keeps all other options of the driver: esxcli replaces the whole string.
func driverOption(module, key, to string) string {
	return fmt.Sprintf("string=$(merged %s) && esxcli system module parameters set -m %s -p \"$string\"", words(module, key, to), quoted(module))
}

// esxcliOption is an advanced option. esxcli knows those of the kernel, whose names have two parts.
func esxcliOption(_ tuning.Target, _, key string) way {
	if name, boot := strings.CutPrefix(key, "VMkernel.Boot."); boot {
		return kernelSetting(name)
	}
	group, name, _ := strings.Cut(key, ".")
	if strings.Contains(name, ".") || group == "Config" || group == "Vpx" {
		return cannot("esxcli has no option %s: it belongs to the host's agents", key)
	}
	d, _ := inventory.LookupOption(key)
	return onHost.option("/"+group+"/"+name, d.Type != inventory.TypeString)
}

// kernelSetting is a boot-time setting of the kernel.
func kernelSetting(name string) way {
	return way{
		read: piped("esxcli --formatter=csv system settings kernel list -o "+quoted(name), "configured"),
		write: func(v value) string {
			return "esxcli system settings kernel set -s " + quoted(name) + " -v " + quoted(strings.ToUpper(textOf(v)))
		},
	}
}
