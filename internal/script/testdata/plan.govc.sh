#!/bin/sh
# A vperf plan for db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ as a script for govc, with GOVC_URL, GOVC_USERNAME and GOVC_PASSWORD set.
# Values read 2026-06-10T12:00:00Z; digest 0123.
# Each change is made only if the current value is the one in the plan, and is read back.
# usage: sh FILE apply     makes the changes
#        sh FILE undo      undoes them, newest first
set -uf

say() { printf '%s\n' "$*" >&2; }
stop() { say "$0: $*"; exit 1; }
lower() { printf '%s' "$1" | tr '[:upper:]' '[:lower:]'; }

# same A B: compares as the servers do: TRUE equals true
same() { [ "$(lower "$1")" = "$(lower "$2")" ]; }

# change NAME FROM TO READ WRITE: makes one change; READ and WRITE are functions
change() {
  changes=$((changes + 1))
  now=$("$4") || { moved "$1: it cannot be read"; return 0; }
  if same "$now" "$3"; then say "$1: already '$3'"; return 0; fi
  same "$now" "$2" || { moved "$1: it is '$now', neither '$2' nor '$3': somebody changed it"; return 0; }
  "$5" || stop "$1: it cannot be written"
  now=$("$4") || stop "$1: it cannot be read again"
  same "$now" "$3" || stop "$1: it is '$now' after it was set to '$3'"
  say "$1: '$2' -> '$3'"
}
changes=0
left=0

# ask REFERENCE PROPERTY [DEFAULT]: prints a property of an object
ask() {
  answer=$(govc object.collect -s "$1" "$2") || return 1
  printf '%s\n' "${answer:-${3:-}}"
}
# server UUID: checks that this is the vCenter of the plan; for an ESXi host the hardware UUID is checked instead
server() { same "$(ask ServiceInstance:ServiceInstance content.about.instanceUuid "$1")" "$1" || stop "this is not the server of the plan"; }
# is REFERENCE PROPERTY UUID: checks that the object is still the one in the plan
is() { same "$(ask "$1" "$2")" "$3" || stop "$1 is not the object in the plan"; }
# off VM: succeeds if the VM is powered off
off() {
  [ "$(ask "$1" runtime.powerState)" = poweredOff ] && return 0
  say "$1 is running: skipped a change that needs it powered off"
  return 1
}
# vmx KEY: prints the value of a VMX key; the case of the key does not matter
vmx() { awk -v key="$1" 'tolower($1) == tolower(key) ":" { sub(/^[^:]*: */, ""); print }'; }

# step 1: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# host-option/Net.NetNetqNumaIOCpuPinThreshold: "0" -> "60", for a-rule
# needs: live
read_1() { found=$(govc host.option.ls -host 'HostSystem:host-11' 'Net.NetNetqNumaIOCpuPinThreshold') && printf '%s\n' "$found" | sed -n 's/^[^:]*: *//p'; }
apply_1() { govc host.option.set -host 'HostSystem:host-11' 'Net.NetNetqNumaIOCpuPinThreshold' '60'; }
undo_1() { govc host.option.set -host 'HostSystem:host-11' 'Net.NetNetqNumaIOCpuPinThreshold' '0'; }

# step 2: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# host-option/VMkernel.Boot.netNetqueueEnabled: "false" -> "true", for a-rule
# needs: host-reboot
read_2() { found=$(govc host.option.ls -host 'HostSystem:host-11' 'VMkernel.Boot.netNetqueueEnabled') && printf '%s\n' "$found" | sed -n 's/^[^:]*: *//p'; }
apply_2() { govc host.option.set -host 'HostSystem:host-11' 'VMkernel.Boot.netNetqueueEnabled' 'true'; }
undo_2() { govc host.option.set -host 'HostSystem:host-11' 'VMkernel.Boot.netNetqueueEnabled' 'false'; }

# step 3: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# power-policy: "dynamic" -> "static", for a-rule
# needs: live
read_3() { found=$(govc host.esxcli -hints=false -host 'HostSystem:host-11' 'system' 'settings' 'advanced' 'list' '-o' '/Power/CpuPolicy') && printf '%s\n' "$found" | sed -n 's/^StringValue: *//p'; }
apply_3() { govc host.esxcli -hints=false -host 'HostSystem:host-11' 'system' 'settings' 'advanced' 'set' '-o' '/Power/CpuPolicy' '-s' 'High Performance'; }
undo_3() { govc host.esxcli -hints=false -host 'HostSystem:host-11' 'system' 'settings' 'advanced' 'set' '-o' '/Power/CpuPolicy' '-s' 'Balanced'; }

# step 4: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# hyperthreading: "false" -> "true", for a-rule
# needs: host-reboot
# NOT IN THIS SCRIPT: govc has no command for hyperthreading

# step 5: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# nmlx5_core driver-options/RSS: "0" -> "4,4", for a-rule
# needs: driver-reload
# NOT IN THIS SCRIPT: govc has no command for driver-options/RSS

# step 6: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# naa.1 lun-outstanding-ios: "32" -> "64", for a-rule
# needs: live
read_6() { found=$(govc host.esxcli -hints=false -host 'HostSystem:host-11' 'storage' 'core' 'device' 'list' '-d' 'naa.1') && printf '%s\n' "$found" | sed -n 's/^NoofoutstandingIOswithcompetingworlds: *//p'; }
apply_6() { govc host.esxcli -hints=false -host 'HostSystem:host-11' 'storage' 'core' 'device' 'set' '-d' 'naa.1' '-O' '64'; }
undo_6() { govc host.esxcli -hints=false -host 'HostSystem:host-11' 'storage' 'core' 'device' 'set' '-d' 'naa.1' '-O' '32'; }

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-latency: "normal" -> "high", for a-rule
# needs: power-cycle
read_7() { ask 'VirtualMachine:vm-7' config.latencySensitivity.level normal; }
apply_7() { govc vm.change -vm 'VirtualMachine:vm-7' -latency='high'; }
undo_7() { govc vm.change -vm 'VirtualMachine:vm-7' -latency='normal'; }

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-memory-lock: "false" -> "true", for a-rule
# needs: live
read_8() { ask 'VirtualMachine:vm-7' config.memoryReservationLockedToMax false; }
apply_8() { govc vm.change -vm 'VirtualMachine:vm-7' -memory-pin='true'; }
undo_8() { govc vm.change -vm 'VirtualMachine:vm-7' -memory-pin='false' && govc vm.change -vm 'VirtualMachine:vm-7' -mem.reservation='512'; }

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cpu-limit: "1000" -> "-1", for a-rule
# needs: live
read_9() { ask 'VirtualMachine:vm-7' config.cpuAllocation.limit; }
apply_9() { govc vm.change -vm 'VirtualMachine:vm-7' -cpu.limit='-1'; }
undo_9() { govc vm.change -vm 'VirtualMachine:vm-7' -cpu.limit='1000'; }

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-vmx/ethernet0.pnicFeatures: unset -> "it's 4", for a-rule
# needs: power-cycle
read_10() { found=$(govc vm.info -e 'VirtualMachine:vm-7') && printf '%s\n' "$found" | vmx 'ethernet0.pnicFeatures'; }
apply_10() { govc vm.change -vm 'VirtualMachine:vm-7' -e 'ethernet0.pnicFeatures=it'\''s 4'; }
undo_10() { govc vm.change -vm 'VirtualMachine:vm-7' -e 'ethernet0.pnicFeatures='; }

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cpu-affinity: "0 1" -> "", for a-rule
# needs: live
# NOT IN THIS SCRIPT: govc has no command for vm-cpu-affinity

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-ht-sharing: "none" -> "any", for a-rule
# needs: live
# NOT IN THIS SCRIPT: govc has no command for vm-ht-sharing

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# 2000 vdisk-iops-limit: "100" -> "-1", for a-rule
# needs: live
# NOT IN THIS SCRIPT: govc has no command for vdisk-iops-limit

# step 8: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cpu-hotadd: "true" -> "false", for a-rule
# needs: power-off
# deferred: the VM has to be off, and runs
# owner: db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘; the change belongs in db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘
read_14() { ask 'VirtualMachine:vm-7' config.cpuHotAddEnabled false; }
apply_14() { govc vm.change -vm 'VirtualMachine:vm-7' -cpu-hot-add-enabled='false'; }
undo_14() { govc vm.change -vm 'VirtualMachine:vm-7' -cpu-hot-add-enabled='true'; }

# step 8: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cores-per-numa-node: unset -> "8", for a-rule
# needs: power-off
# deferred: the VM has to be off, and runs
# owner: db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘; the change belongs in db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘
# NOT IN THIS SCRIPT: govc has no command for vm-cores-per-numa-node

# step 9: cluster db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# cluster-drs-automation: "manual" -> "fullyAutomated", for a-rule
# needs: live
read_16() { ask 'ClusterComputeResource:domain-c7' configuration.drsConfig.defaultVmBehavior; }
apply_16() { govc cluster.change -drs-mode='fullyAutomated' 'ClusterComputeResource:domain-c7'; }
undo_16() { govc cluster.change -drs-mode='manual' 'ClusterComputeResource:domain-c7'; }

# step 10: pool db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# pool-cpu-limit: "1000" -> "-1", for a-rule
# needs: live
# cannot be undone: nothing does
read_17() { ask 'ResourcePool:resgroup-8' config.cpuAllocation.limit; }
apply_17() { govc pool.change -cpu.limit='-1' 'ResourcePool:resgroup-8'; }

# step 11: switch db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# switch-nioc: "false" -> "true", for a-rule
# needs: live
# NOT IN THIS SCRIPT: govc has no command for switch-nioc

# step 12: datastore db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# datastore-unmap: "low" -> "none", for a-rule
# needs: live
# NOT IN THIS SCRIPT: govc has no command for datastore-unmap

case "${1:-}" in
apply)
  moved() { stop "$*; make a new plan"; }
  server 'server-uuid'
  is 'HostSystem:host-11' hardware.systemInfo.uuid 'host-uuid'
  is 'VirtualMachine:vm-7' config.instanceUuid 'vm-uuid'
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/Net.NetNetqNumaIOCpuPinThreshold' '0' '60' read_1 apply_1
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/VMkernel.Boot.netNetqueueEnabled' 'false' 'true' read_2 apply_2
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: power-policy' 'Balanced' 'High Performance' read_3 apply_3
  say 'not in this script: host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: hyperthreading'
  say 'not in this script: host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: nmlx5_core driver-options/RSS'
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: naa.1 lun-outstanding-ios' '32' '64' read_6 apply_6
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-latency' 'normal' 'high' read_7 apply_7
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-memory-lock' 'false' 'true' read_8 apply_8
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-limit' '1000' '-1' read_9 apply_9
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-vmx/ethernet0.pnicFeatures' '' 'it'\''s 4' read_10 apply_10
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-affinity'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-ht-sharing'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: 2000 vdisk-iops-limit'
  if off 'VirtualMachine:vm-7'; then change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-hotadd' 'true' 'false' read_14 apply_14; fi
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cores-per-numa-node'
  change 'cluster db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: cluster-drs-automation' 'manual' 'fullyAutomated' read_16 apply_16
  change 'pool db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: pool-cpu-limit' '1000' '-1' read_17 apply_17
  say 'not in this script: switch db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: switch-nioc'
  say 'not in this script: datastore db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: datastore-unmap'
  ;;
undo)
  moved() { say "$*; skipped"; left=1; }
  server 'server-uuid'
  is 'HostSystem:host-11' hardware.systemInfo.uuid 'host-uuid'
  is 'VirtualMachine:vm-7' config.instanceUuid 'vm-uuid'
  say 'not in this script: datastore db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: datastore-unmap'
  say 'not in this script: switch db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: switch-nioc'
  say 'cannot be undone: pool db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: pool-cpu-limit'
  change 'cluster db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: cluster-drs-automation' 'fullyAutomated' 'manual' read_16 undo_16
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cores-per-numa-node'
  if off 'VirtualMachine:vm-7'; then change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-hotadd' 'false' 'true' read_14 undo_14; fi
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: 2000 vdisk-iops-limit'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-ht-sharing'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-affinity'
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-vmx/ethernet0.pnicFeatures' 'it'\''s 4' '' read_10 undo_10
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-limit' '-1' '1000' read_9 undo_9
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-memory-lock' 'true' 'false' read_8 undo_8
  change 'vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-latency' 'high' 'normal' read_7 undo_7
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: naa.1 lun-outstanding-ios' '64' '32' read_6 undo_6
  say 'not in this script: host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: nmlx5_core driver-options/RSS'
  say 'not in this script: host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: hyperthreading'
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: power-policy' 'High Performance' 'Balanced' read_3 undo_3
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/VMkernel.Boot.netNetqueueEnabled' 'true' 'false' read_2 undo_2
  change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/Net.NetNetqNumaIOCpuPinThreshold' '60' '0' read_1 undo_1
  ;;
*)
  say "usage: sh $0 apply|undo"
  exit 2
  ;;
esac
say "changes checked: $changes"
exit $left
