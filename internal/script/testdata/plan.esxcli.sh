#!/bin/sh
# A vperf plan for db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ as a script for the ESXi shell.
# Values read 2026-06-10T12:00:00Z; digest 0123.
# Each change is made only if the current value is the one in the plan, and is read back.
# Copy it to each host named below and run it there:
# usage: sh FILE apply     makes the changes for this host
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

# field NAME: prints the value of that line of esxcli's output
field() { awk -v name="$1: " '{ sub(/^ */, "") } index($0 " ", name) == 1 { print substr($0, length(name) + 1) }'; }
# configured: prints the column Configured of esxcli's CSV output
configured() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Configured") c = i } NR == 2 && c { print $c }'; }
# options MODULE: prints all options of a driver
options() { found=$(esxcfg-module -g "$1") && printf '%s\n' "$found" | sed -n "s/.*options = '\(.*\)'.*/\1/p"; }
# option MODULE NAME: prints one option of a driver
option() { all=$(options "$1") || return 1; for o in $all; do case "$o" in "$2="*) printf '%s\n' "${o#*=}" ;; esac; done; }
# merged MODULE NAME VALUE: prints all options with one changed; an empty value removes it
merged() {
  now=$(options "$1") || return 1
  all=''
  for o in $now; do case "$o" in "$2="*) ;; *) all="$all $o" ;; esac; done
  [ -z "$3" ] || all="$all $2=$3"
  printf '%s\n' "${all# }"
}
# here UUID: succeeds on the host with this hardware UUID
here() { case "$host" in *"uuid = \"$1\""*) return 0 ;; esac; return 1; }

# step 1: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# host-option/Net.NetNetqNumaIOCpuPinThreshold: "0" -> "60", for a-rule
# needs: live
read_1() { found=$(esxcli 'system' 'settings' 'advanced' 'list' '-o' '/Net/NetNetqNumaIOCpuPinThreshold') && printf '%s\n' "$found" | field 'Int Value'; }
apply_1() { esxcli 'system' 'settings' 'advanced' 'set' '-o' '/Net/NetNetqNumaIOCpuPinThreshold' '-i' '60'; }
undo_1() { esxcli 'system' 'settings' 'advanced' 'set' '-o' '/Net/NetNetqNumaIOCpuPinThreshold' '-i' '0'; }

# step 2: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# host-option/VMkernel.Boot.netNetqueueEnabled: "false" -> "true", for a-rule
# needs: host-reboot
read_2() { found=$(esxcli --formatter=csv system settings kernel list -o 'netNetqueueEnabled') && printf '%s\n' "$found" | configured; }
apply_2() { esxcli system settings kernel set -s 'netNetqueueEnabled' -v 'TRUE'; }
undo_2() { esxcli system settings kernel set -s 'netNetqueueEnabled' -v 'FALSE'; }

# step 3: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# power-policy: "dynamic" -> "static", for a-rule
# needs: live
read_3() { found=$(esxcli 'system' 'settings' 'advanced' 'list' '-o' '/Power/CpuPolicy') && printf '%s\n' "$found" | field 'String Value'; }
apply_3() { esxcli 'system' 'settings' 'advanced' 'set' '-o' '/Power/CpuPolicy' '-s' 'High Performance'; }
undo_3() { esxcli 'system' 'settings' 'advanced' 'set' '-o' '/Power/CpuPolicy' '-s' 'Balanced'; }

# step 4: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# hyperthreading: "false" -> "true", for a-rule
# needs: host-reboot
read_4() { found=$(esxcli --formatter=csv system settings kernel list -o 'hyperthreading') && printf '%s\n' "$found" | configured; }
apply_4() { esxcli system settings kernel set -s 'hyperthreading' -v 'TRUE'; }
undo_4() { esxcli system settings kernel set -s 'hyperthreading' -v 'FALSE'; }

# step 5: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# nmlx5_core driver-options/RSS: "0" -> "4,4", for a-rule
# needs: driver-reload
read_5() { option 'nmlx5_core' 'RSS'; }
apply_5() { string=$(merged 'nmlx5_core' 'RSS' '4,4') && esxcli system module parameters set -m 'nmlx5_core' -p "$string"; }
undo_5() { string=$(merged 'nmlx5_core' 'RSS' '0') && esxcli system module parameters set -m 'nmlx5_core' -p "$string"; }

# step 6: host db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘)
# naa.1 lun-outstanding-ios: "32" -> "64", for a-rule
# needs: live
read_6() { found=$(esxcli 'storage' 'core' 'device' 'list' '-d' 'naa.1') && printf '%s\n' "$found" | field 'No of outstanding IOs with competing worlds'; }
apply_6() { esxcli 'storage' 'core' 'device' 'set' '-d' 'naa.1' '-O' '64'; }
undo_6() { esxcli 'storage' 'core' 'device' 'set' '-d' 'naa.1' '-O' '32'; }

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-latency: "normal" -> "high", for a-rule
# needs: power-cycle
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-memory-lock: "false" -> "true", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cpu-limit: "1000" -> "-1", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-vmx/ethernet0.pnicFeatures: unset -> "it's 4", for a-rule
# needs: power-cycle
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cpu-affinity: "0 1" -> "", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-ht-sharing: "none" -> "any", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# 2000 vdisk-iops-limit: "100" -> "-1", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 8: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cpu-hotadd: "true" -> "false", for a-rule
# needs: power-off
# deferred: the VM has to be off, and runs
# owner: db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘; the change belongs in db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 8: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# vm-cores-per-numa-node: unset -> "8", for a-rule
# needs: power-off
# deferred: the VM has to be off, and runs
# owner: db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘; the change belongs in db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘
# NOT IN THIS SCRIPT: esxcli cannot change a vm

# step 9: cluster db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# cluster-drs-automation: "manual" -> "fullyAutomated", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a cluster

# step 10: pool db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# pool-cpu-limit: "1000" -> "-1", for a-rule
# needs: live
# cannot be undone: nothing does
# NOT IN THIS SCRIPT: esxcli cannot change a pool

# step 11: switch db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# switch-nioc: "false" -> "true", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a switch

# step 12: datastore db'; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘ ()
# datastore-unmap: "low" -> "none", for a-rule
# needs: live
# NOT IN THIS SCRIPT: esxcli cannot change a datastore

case "${1:-}" in
apply)
  moved() { stop "$*; make a new plan"; }
  host=$(vim-cmd hostsvc/hostsummary) || stop 'this is not an ESXi host'
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/Net.NetNetqNumaIOCpuPinThreshold' '0' '60' read_1 apply_1; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/VMkernel.Boot.netNetqueueEnabled' 'false' 'true' read_2 apply_2; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: power-policy' 'Balanced' 'High Performance' read_3 apply_3; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: hyperthreading' 'false' 'true' read_4 apply_4; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: nmlx5_core driver-options/RSS' '0' '4,4' read_5 apply_5; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: naa.1 lun-outstanding-ios' '32' '64' read_6 apply_6; fi
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-latency'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-memory-lock'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-limit'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-vmx/ethernet0.pnicFeatures'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-affinity'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-ht-sharing'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: 2000 vdisk-iops-limit'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-hotadd'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cores-per-numa-node'
  say 'not in this script: cluster db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: cluster-drs-automation'
  say 'not in this script: pool db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: pool-cpu-limit'
  say 'not in this script: switch db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: switch-nioc'
  say 'not in this script: datastore db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: datastore-unmap'
  ;;
undo)
  moved() { say "$*; skipped"; left=1; }
  host=$(vim-cmd hostsvc/hostsummary) || stop 'this is not an ESXi host'
  say 'not in this script: datastore db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: datastore-unmap'
  say 'not in this script: switch db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: switch-nioc'
  say 'not in this script: pool db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: pool-cpu-limit'
  say 'not in this script: cluster db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: cluster-drs-automation'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cores-per-numa-node'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-hotadd'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: 2000 vdisk-iops-limit'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-ht-sharing'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-affinity'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-vmx/ethernet0.pnicFeatures'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-cpu-limit'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-memory-lock'
  say 'not in this script: vm db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: vm-latency'
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: naa.1 lun-outstanding-ios' '64' '32' read_6 undo_6; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: nmlx5_core driver-options/RSS' '4,4' '0' read_5 undo_5; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: hyperthreading' 'true' 'false' read_4 undo_4; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: power-policy' 'High Performance' 'Balanced' read_3 undo_3; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/VMkernel.Boot.netNetqueueEnabled' 'true' 'false' read_2 undo_2; fi
  if here 'host-uuid'; then change 'host db'\''; touch harmed; #\n$(touch harmed) `touch harmed` ’; New-Item harmed; ‘: host-option/Net.NetNetqNumaIOCpuPinThreshold' '60' '0' read_1 undo_1; fi
  ;;
*)
  say "usage: sh $0 apply|undo"
  exit 2
  ;;
esac
say "changes checked: $changes"
[ "$changes" -gt 0 ] || stop 'this script has no change for this host'
exit $left
