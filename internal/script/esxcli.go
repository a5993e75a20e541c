package script

import (
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// ESXCLI writes a plan as a shell script for the hosts themselves. Each host makes only its own changes, identified by
// its hardware's UUID.
func ESXCLI(w io.Writer, plan *tuning.Plan) error {
	s := &shell{moves: moves(plan, esxcliOf), guard: func(m *move) string { return "here " + quoted(m.target.UUID) }}
	s.WriteString("#!/bin/sh\n")
	s.comment(heading(plan, "the shell of the hosts")...)
	s.comment("Copy it to each host that it names and run it there:",
		"usage: sh FILE apply     makes the changes that are this host's", "       sh FILE undo      takes them back, the last one first")
	s.WriteString(prelude)
	s.WriteString(`
# field NAME: of what esxcli prints, the value of that line
field() { awk -v name="$1: " '{ sub(/^ */, "") } index($0 " ", name) == 1 { print substr($0, length(name) + 1) }'; }
# configured: of what esxcli prints as CSV, the column of that name
configured() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Configured") c = i } NR == 2 && c { print $c }'; }
# options MODULE: all options of a driver
options() { found=$(esxcfg-module -g "$1") && printf '%s\n' "$found" | sed -n "s/.*options = '\(.*\)'.*/\1/p"; }
# option MODULE NAME: one of them
option() { all=$(options "$1") || return 1; for o in $all; do case "$o" in "$2="*) printf '%s\n' "${o#*=}" ;; esac; done; }
# merged MODULE NAME VALUE: all options with one changed; no value takes it out
merged() {
  now=$(options "$1") || return 1
  all=''
  for o in $now; do case "$o" in "$2="*) ;; *) all="$all $o" ;; esac; done
  [ -z "$3" ] || all="$all $2=$3"
  printf '%s\n' "${all# }"
}
# here UUID: whether this is the host with that hardware
here() { case "$host" in *"uuid = \"$1\""*) return 0 ;; esac; return 1; }
`)
	s.functions()
	s.run("  host=$(vim-cmd hostsvc/hostsummary) || stop 'this is no ESXi host'\n")
	s.WriteString("[ \"$changes\" -gt 0 ] || stop 'nothing in this script is for this host'\nexit $left\n")
	return s.writeTo(w, "esxcli")
}

func esxcliOf(t tuning.Target, a tuning.Address) way {
	kind, key, _ := strings.Cut(a.Setting, "/")
	esxcli := esxcliWay{"esxcli", func(name string) string { return "field " + quoted(name) }}
	switch {
	case t.Kind != inventory.ScopeHost:
		return cannot("esxcli of a host cannot change a %s", t.Kind)
	case t.UUID == "":
		return cannot("the UUID of the host's hardware is not known, so that the script could run on another host")
	}
	switch kind {
	case "host-option":
		return esxcliOption(esxcli, key)
	case "power-policy":
		return policyNamed(esxcli.option("/Power/CpuPolicy", false))
	case "hyperthreading":
		return kernelSetting("hyperthreading")
	case "driver-options":
		return way{
			read:  "option " + words(a.Device, key),
			write: func(v value) string { return driverOption(a.Device, key, textOf(v)) },
		}
	case "lun-outstanding-ios":
		return esxcli.outstanding(a.Device)
	}
	return cannot("esxcli has no command for %s", a.Setting)
}

// driverOption keeps all other options of the driver: esxcli replaces the whole string.
func driverOption(module, key, to string) string {
	return fmt.Sprintf("string=$(merged %s) && esxcli system module parameters set -m %s -p \"$string\"", words(module, key, to), quoted(module))
}

// esxcliOption is an advanced option. esxcli knows those of the kernel, whose names have two parts.
func esxcliOption(e esxcliWay, key string) way {
	if name, boot := strings.CutPrefix(key, "VMkernel.Boot."); boot {
		return kernelSetting(name)
	}
	group, name, _ := strings.Cut(key, ".")
	if strings.Contains(name, ".") || group == "Config" || group == "Vpx" {
		return cannot("esxcli does not know %s: it is an option of the host's agents", key)
	}
	d, _ := inventory.LookupOption(key)
	return e.option("/"+group+"/"+name, d.Type != inventory.TypeString)
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
