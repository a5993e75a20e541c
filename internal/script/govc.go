package script

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// govcPrelude has the functions of scripts for govc.
//
//go:embed govc.sh
var govcPrelude string

// Govc writes a plan as a shell script for govc. Objects are identified by their ids, which only the server chooses,
// and their UUIDs are checked before anything is written.
func Govc(w io.Writer, plan *tuning.Plan) error {
	s := &shell{moves: moves(plan, wayOf("govc has no command for %s", func(k tools) ways { return k.govc })), guard: govcGuard}
	s.WriteString("#!/bin/sh\n")
	s.comment(heading(plan, "govc, with GOVC_URL, GOVC_USERNAME and GOVC_PASSWORD set")...)
	s.comment("usage: sh FILE apply     makes the changes", "       sh FILE undo      undoes them, newest first")
	s.WriteString(prelude + govcPrelude)
	s.functions()
	s.run(govcReady(plan))
	s.WriteString("exit $left\n")
	return s.writeTo(w, "govc")
}

// govcReady makes sure that the server and the objects are those of the plan.
func govcReady(plan *tuning.Plan) string {
	checks := []string{fmt.Sprintf("  server %s\n", quoted(plan.Server.UUID))}
	seen := map[string]bool{}
	for _, s := range plan.Steps {
		property := map[inventory.Scope]string{inventory.ScopeHost: "hardware.systemInfo.uuid", inventory.ScopeVM: "config.instanceUuid"}[s.Target.Kind]
		if s.Target.UUID == "" || property == "" || seen[s.Target.Key()] {
			continue
		}
		seen[s.Target.Key()] = true
		checks = append(checks, fmt.Sprintf("  is %s %s %s\n", reference(s.Target), property, quoted(s.Target.UUID)))
	}
	return strings.Join(checks, "")
}

func govcGuard(m *move) string {
	if m.off {
		return "off " + reference(m.target)
	}
	return ""
}

// reference is a target as govc takes it in place of a path.
func reference(t tuning.Target) string { return quoted(managedTypes[t.Kind] + ":" + t.ID) }

var managedTypes = map[inventory.Scope]string{
	inventory.ScopeHost: "HostSystem", inventory.ScopeVM: "VirtualMachine", inventory.ScopeCluster: "ClusterComputeResource",
	inventory.ScopePool: "ResourcePool", inventory.ScopeSwitch: "VmwareDistributedVirtualSwitch", inventory.ScopeDatastore: "Datastore",
}

// govcESXCLI is a setting that govc changes through the host's esxcli.
func govcESXCLI(setting func(e esxcliWay, device string) way) ways {
	return func(t tuning.Target, device, _ string) way {
		return setting(esxcliWay{"govc host.esxcli -hints=false -host " + reference(t), func(name string) string {
			return fmt.Sprintf("sed -n 's/^%s: *//p'", strings.ReplaceAll(name, " ", ""))
		}}, device)
	}
}

func govcOption(t tuning.Target, _, key string) way {
	ref := reference(t)
	return way{
		read: piped(fmt.Sprintf("govc host.option.ls -host %s %s", ref, quoted(key)), "sed -n 's/^[^:]*: *//p'"),
		write: func(v value) string {
			return fmt.Sprintf("govc host.option.set -host %s %s", ref, words(key, textOf(v)))
		},
	}
}

// govcField is a property, its meaning if the server omits it, and the flag that sets it.
type govcField struct{ property, none, flag string }

// govcVM is a field of a VM, and govcObject one of an object that a command takes as its operand.
func govcVM(property, none, flag string) ways {
	return func(t tuning.Target, _, _ string) way {
		return govcField{property, none, flag}.way("govc vm.change -vm "+reference(t), reference(t), "")
	}
}

func govcObject(command, property, flag string) ways {
	return func(t tuning.Target, _, _ string) way {
		return govcField{property, "", flag}.way("govc "+command, reference(t), reference(t))
	}
}

func govcVMX(t tuning.Target, _, key string) way {
	ref := reference(t)
	return way{
		read: piped("govc vm.info -e "+ref, "vmx "+quoted(key)),
		write: func(v value) string {
			return fmt.Sprintf("govc vm.change -vm %s -e %s", ref, quoted(key+"="+textOf(v)))
		},
	}
}

func (f govcField) way(command, ref, operand string) way {
	return way{
		read: strings.TrimSpace(fmt.Sprintf("ask %s %s %s", ref, f.property, f.none)),
		write: func(v value) string {
			return strings.TrimSpace(fmt.Sprintf("%s %s=%s %s", command, f.flag, quoted(textOf(v)), operand))
		},
		show: func(v value) string {
			if isAbsent(v) {
				return f.none
			}
			return textOf(v)
		},
	}
}
