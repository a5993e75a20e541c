package ruletool

import (
	"fmt"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// starter is a small true rule of a scope, to be changed into another one.
type starter struct {
	category                  advice.Category
	title, applies, want      string
	evidence                  string // NAME: EXPRESSION
	params                    string // NAME: {…}; may be ""
	fail, pass, skip, unknown string // facts
}

var starters = map[inventory.Scope]starter{
	inventory.ScopeVCenter: {
		"monitoring", "The vCenter is older than 8.0", `vcenter.kind == "vcenter"`, `vcenter.version.atLeast("8.0")`,
		`version: vcenter.version`, "",
		`{vcenter: {kind: vcenter, version: 7.0.3}}`, `{vcenter: {kind: vcenter, version: 8.0.3}}`,
		`{vcenter: {kind: esxi, version: 7.0.3}}`, `{vcenter: {kind: vcenter, version: {$unread: no permission}}}`,
	},
	inventory.ScopeCluster: {
		"cluster", "A host of the cluster has a low clock", `cluster.hosts.size() > 0`, `cluster.hosts.all(h, h.cpuMHz >= params.least)`,
		`clocksMHz: cluster.hosts.map(h, h.cpuMHz)`, `least: {value: 2000, about: the slowest clock in MHz that is not worth a word}`,
		`{cluster: {}, host: {cpuMHz: 1800}}`, `{cluster: {}, host: {cpuMHz: 2000}}`,
		`{cluster: {}}`, `{cluster: {}, host: {cpuMHz: {$unread: no permission}}}`,
	},
	inventory.ScopePool: {
		"vm", "The resource pool has a CPU limit", `'!pool.root'`, `pool.cpuLimitMHz == -1`,
		`limitMHz: pool.cpuLimitMHz`, "",
		`{pool: {root: false, cpuLimitMHz: 4000}}`, `{pool: {root: false, cpuLimitMHz: -1}}`,
		`{pool: {root: true, cpuLimitMHz: 4000}}`, `{pool: {root: false, cpuLimitMHz: {$unread: no permission}}}`,
	},
	inventory.ScopeHost: {
		"cpu", "The host's clock is low", `host.kind == "physical"`, `host.cpuMHz >= params.least`,
		`clockMHz: host.cpuMHz`, `least: {value: 2000, about: the slowest clock in MHz that is not worth a word}`,
		`{host: {kind: physical, cpuMHz: 1800}}`, `{host: {kind: physical, cpuMHz: 2000}}`,
		`{host: {kind: nested, cpuMHz: 1800}}`, `{host: {kind: physical, cpuMHz: {$unread: no permission}}}`,
	},
	inventory.ScopePNIC: {
		"network", "An uplink is slow", `pnic.uplink`, `pnic.linkMbps >= params.least`,
		`linkMbps: pnic.linkMbps`, `least: {value: 10000, about: the slowest link in Mb/s that is not worth a word}`,
		`{pnic: {device: vmnic0, uplink: true, linkMbps: 1000}}`, `{pnic: {device: vmnic0, uplink: true, linkMbps: 10000}}`,
		`{pnic: {device: vmnic0, uplink: false, linkMbps: 1000}}`, `{pnic: {device: vmnic0, uplink: true, linkMbps: {$unread: no permission}}}`,
	},
	inventory.ScopeVMKNIC: {
		"network", "A VMkernel adapter has a small MTU", `'"vmotion" in vmknic.services'`, `vmknic.mtu >= params.least`,
		`mtu: vmknic.mtu`, `least: {value: 1500, about: the smallest MTU that is not worth a word}`,
		`{vmknic: {device: vmk1, services: [vmotion], mtu: 1280}}`, `{vmknic: {device: vmk1, services: [vmotion], mtu: 1500}}`,
		`{vmknic: {device: vmk0, services: [management], mtu: 1280}}`, `{vmknic: {device: vmk1, services: [vmotion], mtu: {$unread: no permission}}}`,
	},
	inventory.ScopeHBA: {
		"storage", "A software iSCSI adapter is in use", `hba.kind == "iscsi"`, `'!hba.software'`,
		`driver: hba.driver`, "",
		`{hba: {device: vmhba64, kind: iscsi, software: true}}`, `{hba: {device: vmhba2, kind: iscsi, software: false}}`,
		`{hba: {device: vmhba1, kind: block, software: true}}`, `{hba: {device: vmhba64, kind: iscsi, software: {$unread: no permission}}}`,
	},
	inventory.ScopeLUN: {
		"storage", "A disk of the array has a dead path", `'!lun.local'`, `lun.deadPaths == 0`,
		`deadPaths: lun.deadPaths`, "",
		`{lun: {device: naa.1, local: false, deadPaths: 1}}`, `{lun: {device: naa.1, local: false, deadPaths: 0}}`,
		`{lun: {device: naa.1, local: true, deadPaths: 1}}`, `{lun: {device: naa.1, local: false, deadPaths: {$unread: no permission}}}`,
	},
	inventory.ScopeDatastore: {
		"storage", "The datastore is nearly full", `datastore.kind == "VMFS"`, `datastore.freeMB >= params.least`,
		`freeMB: datastore.freeMB`, `least: {value: 100000, about: the free space in MiB that is not worth a word}`,
		`{datastore: {kind: VMFS, freeMB: 50000}}`, `{datastore: {kind: VMFS, freeMB: 100000}}`,
		`{datastore: {kind: NFS, freeMB: 50000}}`, `{datastore: {kind: VMFS, freeMB: {$unread: no permission}}}`,
	},
	inventory.ScopeSwitch: {
		"network", "Network I/O Control is off", `switch.kind == "distributed"`, `switch.niocEnabled`,
		`nioc: switch.niocEnabled`, "",
		`{switch: {kind: distributed, niocEnabled: false}}`, `{switch: {kind: distributed, niocEnabled: true}}`,
		`{switch: {kind: standard, niocEnabled: false}}`, `{switch: {kind: distributed, niocEnabled: {$unread: no permission}}}`,
	},
	inventory.ScopeVM: {
		"vm", "The VM has a memory limit", `'!vm.template'`, `vm.memoryLimitMB == -1`,
		`limitMB: vm.memoryLimitMB`, "",
		`{vm: {template: false, memoryLimitMB: 4096}}`, `{vm: {template: false, memoryLimitMB: -1}}`,
		`{vm: {template: true, memoryLimitMB: 4096}}`, `{vm: {template: false, memoryLimitMB: {$unread: no permission}}}`,
	},
	inventory.ScopeVNIC: {
		"network", "A virtual NIC emulates an old card", `'!vm.template'`, `vnic.type != "e1000"`,
		`type: vnic.type`, "",
		`{vm: {template: false}, vnic: {type: e1000}}`, `{vm: {template: false}, vnic: {type: vmxnet3}}`,
		`{vm: {template: true}, vnic: {type: e1000}}`, `{vm: {template: false}, vnic: {type: {$unread: no permission}}}`,
	},
	inventory.ScopeVDisk: {
		"storage", "A virtual disk has an IOPS limit", `'!vm.template'`, `vdisk.iopsLimit == -1`,
		`iopsLimit: vdisk.iopsLimit`, "",
		`{vm: {template: false}, vdisk: {iopsLimit: 1000}}`, `{vm: {template: false}, vdisk: {iopsLimit: -1}}`,
		`{vm: {template: true}, vdisk: {iopsLimit: 1000}}`, `{vm: {template: false}, vdisk: {iopsLimit: {$unread: no permission}}}`,
	},
}

// Starter is the text of a rule to begin with: it loads, lacks nothing, and its examples come out as they say. Without a
// category it is filed where rules of the scope usually are.
func Starter(id string, category advice.Category, scope inventory.Scope) (string, error) {
	if err := advice.CheckID(id); err != nil {
		return "", err
	}
	if _, err := advice.ParseScope(string(scope)); err != nil {
		return "", err
	}
	s := starters[scope]
	if category == "" {
		category = s.category
	}
	if _, err := advice.ParseCategory(string(category)); err != nil {
		return "", err
	}
	if category == advice.CategoryDiagnosis {
		return starterOfDiagnosis(id, scope)
	}
	params := ""
	if s.params != "" {
		params = "params:                       # what users may change\n  " + s.params + "\n"
	}
	return fmt.Sprintf(starterText, id, s.title, category, scope, s.applies, s.want, s.evidence, params,
		s.fail, s.pass, s.skip, s.unknown), nil
}

const starterText = `id: %s
title: %s
category: %s
scope: %s
severity: low                 # unless the object's profile is named: profiles: {latency: high}
applies: %s
want: %s
evidence:                     # what a finding shows
  %s
%swhy: |
  Say why it matters, to somebody who has not heard of it.
tradeoff: |
  Say what the change costs.
benefit:
  - text: none measured
sources:
  - name the document, the measurement or the person
examples:                     # what is left out of the facts is unread
  - {name: wrong, facts: %s, expect: fail, severity: low}
  - {name: right, facts: %s, expect: pass}
  - {name: not meant, facts: %s, expect: not-applicable}
  - {name: not read, facts: %s, expect: unknown}
`
