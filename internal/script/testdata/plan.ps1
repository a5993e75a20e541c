# A vperf plan for db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 as a script for PowerCLI, connected with Connect-VIServer.
# Values read 2026-06-10T12:00:00Z; digest 0123.
# Each change is made only if the current value is the one in the plan, and is read back.
# usage: ./FILE          makes the changes
#        ./FILE -Undo    undoes them, newest first
param([switch]$Undo)
$ErrorActionPreference = 'Stop'

# Edit-Setting: READ and WRITE are script blocks
function Edit-Setting($What, $From, $To, $Read, $Write) {
  $now = [string](& $Read)
  if ($now -eq $To) { Write-Host "${What}: already '$To'"; return }
  if ($now -ne $From) {
    $moved = "${What}: it is '$now', neither '$From' nor '$To': somebody changed it"
    if (-not $Undo) { throw "$moved; make a new plan" }
    Write-Warning "$moved; skipped"
    return
  }
  & $Write | Out-Null
  $now = [string](& $Read)
  if ($now -ne $To) { throw "${What}: it is '$now' after it was set to '$To'" }
  Write-Host "${What}: '$From' -> '$To'"
}
# Confirm-Identity: checks that the object is still the one in the plan
function Confirm-Identity($Name, $Found, $Expected) {
  if ([string]$Found -ne $Expected) { throw "$Name is not the object in the plan" }
}
# Test-Off: returns whether a VM is powered off
function Test-Off($Id) {
  if ((Get-View -Id $Id).Runtime.PowerState -eq 'poweredOff') { return $true }
  Write-Host "$Id is running: skipped a change that needs it powered off"
  return $false
}
# Set-VMField: CHANGE sets the fields of the reconfiguration spec
function Set-VMField($Id, $Change) {
  $spec = New-Object VMware.Vim.VirtualMachineConfigSpec
  & $Change $spec
  (Get-View -Id $Id).ReconfigVM($spec)
}
# Set-VMXKey: an empty value removes the key
function Set-VMXKey($Id, $Key, $Value) {
  Set-VMField $Id { param($spec)
    $spec.ExtraConfig = @(New-Object VMware.Vim.OptionValue -Property @{ Key = $Key; Value = $Value }) }
}
function Get-VMXKey($Id, $Key) { (Get-View -Id $Id).Config.ExtraConfig | Where-Object { $_.Key -eq $Key } | ForEach-Object { $_.Value } }
function Get-Part($Id, $Name) { Get-View -Id (Get-View -Id $Id).ConfigManager.$Name }
function Get-EsxDevice($Id, $Device) { (Get-EsxCli -V2 -VMHost (Get-VMHost -Id $Id)).storage.core.device.list.Invoke(@{ device = $Device }) }
function Set-EsxDevice($Id, $Device, $Number) {
  (Get-EsxCli -V2 -VMHost (Get-VMHost -Id $Id)).storage.core.device.set.Invoke(@{ device = $Device; schednumreqoutstanding = $Number })
}
# Get-Options, Set-Option: a driver's options are one string; all other options are kept
function Get-Options($Id, $Module) {
  @((Get-Part $Id KernelModuleSystem).QueryConfiguredModuleOptionString($Module) -split '\s+' | Where-Object { $_ })
}
function Get-Option($Id, $Module, $Name) {
  Get-Options $Id $Module | Where-Object { $_.StartsWith("$Name=") } | ForEach-Object { $_.Substring($Name.Length + 1) }
}
function Set-Option($Id, $Module, $Name, $Value) {
  $all = @(Get-Options $Id $Module | Where-Object { -not $_.StartsWith("$Name=") })
  if ($Value -ne '') { $all += "$Name=$Value" }
  (Get-Part $Id KernelModuleSystem).UpdateModuleOptionString($Module, ($all -join ' '))
}
function Set-PowerPolicy($Id, $Name) {
  $power = Get-Part $Id PowerSystem
  $power.ConfigurePowerPolicy(($power.Capability.AvailablePolicy | Where-Object { $_.ShortName -eq $Name }).Key)
}
function Set-HyperThreading($Id, $On) {
  $cpu = Get-Part $Id CpuScheduler
  if ($On) { $cpu.EnableHyperThreading() } else { $cpu.DisableHyperThreading() }
}
# Set-Drs: changes only the fields of a cluster that CHANGE sets
function Set-Drs($Id, $Change) {
  $spec = New-Object VMware.Vim.ClusterConfigSpecEx
  $spec.DrsConfig = New-Object VMware.Vim.ClusterDrsConfigInfo
  & $Change $spec.DrsConfig
  (Get-View -Id $Id).ReconfigureComputeResource($spec, $true)
}
function Set-PoolLimit($Id, $Allocation, $Limit) {
  $spec = New-Object VMware.Vim.ResourceConfigSpec
  $spec.CpuAllocation = New-Object VMware.Vim.ResourceAllocationInfo
  $spec.MemoryAllocation = New-Object VMware.Vim.ResourceAllocationInfo
  $spec.$Allocation.Limit = $Limit
  $pool = Get-View -Id $Id
  $pool.UpdateConfig($pool.Name, $spec) # PowerShell would turn $null into an empty name
}
function Set-Unmap($Id, $Priority) {
  $store = Get-View -Id $Id
  (Get-Part $store.Host[0].Key StorageSystem).UpdateVmfsUnmapPriority($store.Info.Vmfs.Uuid, $Priority)
}
function Get-Disk($Id, $Key) { (Get-View -Id $Id).Config.Hardware.Device | Where-Object { $_.Key -eq $Key } }
function Set-DiskLimit($Id, $Key, $Limit) {
  $disk = Get-Disk $Id $Key
  $disk.StorageIOAllocation.Limit = $Limit
  Set-VMField $Id { param($spec)
    $spec.DeviceChange = @(New-Object VMware.Vim.VirtualDeviceConfigSpec -Property @{ Operation = 'edit'; Device = $disk }) }
}

$server = (Get-View ServiceInstance).Content.About.InstanceUuid # an ESXi host has none; its hardware UUID is checked instead
if ($server) { Confirm-Identity 'the server' $server 'server-uuid' }
Confirm-Identity ('db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + '') (Get-View -Id 'HostSystem-host-11').Hardware.SystemInfo.Uuid 'host-uuid'
Confirm-Identity ('db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + '') (Get-View -Id 'VirtualMachine-vm-7').Config.InstanceUuid 'vm-uuid'

if (-not $Undo) {
# step 1: host db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018)
# host-option/Net.NetNetqNumaIOCpuPinThreshold: "0" -> "60", for a-rule
# needs: live
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': host-option/Net.NetNetqNumaIOCpuPinThreshold') '0' '60' { (Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'Net.NetNetqNumaIOCpuPinThreshold').Value } { Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'Net.NetNetqNumaIOCpuPinThreshold' | Set-AdvancedSetting -Confirm:$false -Value ([long]60) }
# step 2: host db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018)
# host-option/VMkernel.Boot.netNetqueueEnabled: "false" -> "true", for a-rule
# needs: host-reboot
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': host-option/VMkernel.Boot.netNetqueueEnabled') 'false' 'true' { (Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'VMkernel.Boot.netNetqueueEnabled').Value } { Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'VMkernel.Boot.netNetqueueEnabled' | Set-AdvancedSetting -Confirm:$false -Value $true }
# step 3: host db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018)
# power-policy: "dynamic" -> "static", for a-rule
# needs: live
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': power-policy') 'dynamic' 'static' { (Get-Part 'HostSystem-host-11' PowerSystem).Info.CurrentPolicy.ShortName } { Set-PowerPolicy 'HostSystem-host-11' 'static' }
# step 4: host db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018)
# hyperthreading: "false" -> "true", for a-rule
# needs: host-reboot
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': hyperthreading') 'false' 'true' { (Get-Part 'HostSystem-host-11' CpuScheduler).HyperthreadInfo.Config } { Set-HyperThreading 'HostSystem-host-11' $true }
# step 5: host db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018)
# nmlx5_core driver-options/RSS: "0" -> "4,4", for a-rule
# needs: driver-reload
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': nmlx5_core driver-options/RSS') '0' '4,4' { Get-Option 'HostSystem-host-11' 'nmlx5_core' 'RSS' } { Set-Option 'HostSystem-host-11' 'nmlx5_core' 'RSS' '4,4' }
# step 6: host db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 (/DC/db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018)
# naa.1 lun-outstanding-ios: "32" -> "64", for a-rule
# needs: live
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': naa.1 lun-outstanding-ios') '32' '64' { (Get-EsxDevice 'HostSystem-host-11' 'naa.1').NoofoutstandingIOswithcompetingworlds } { Set-EsxDevice 'HostSystem-host-11' 'naa.1' ([long]64) }
# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-latency: "normal" -> "high", for a-rule
# needs: power-cycle
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-latency') 'normal' 'high' { (Get-View -Id 'VirtualMachine-vm-7').Config.LatencySensitivity.Level } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.LatencySensitivity = New-Object VMware.Vim.LatencySensitivity -Property @{ Level = 'high' } } }
# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-memory-lock: "false" -> "true", for a-rule
# needs: live
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-memory-lock') 'false' 'true' { (Get-View -Id 'VirtualMachine-vm-7').Config.MemoryReservationLockedToMax } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.MemoryReservationLockedToMax = $true } }
# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-cpu-limit: "1000" -> "-1", for a-rule
# needs: live
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cpu-limit') '1000' '-1' { (Get-View -Id 'VirtualMachine-vm-7').Config.CpuAllocation.Limit } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.CpuAllocation = New-Object VMware.Vim.ResourceAllocationInfo -Property @{ Limit = ([long]-1) } } }
# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-vmx/ethernet0.pnicFeatures: unset -> "it's 4", for a-rule
# needs: power-cycle
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-vmx/ethernet0.pnicFeatures') '' 'it''s 4' { Get-VMXKey 'VirtualMachine-vm-7' 'ethernet0.pnicFeatures' } { Set-VMXKey 'VirtualMachine-vm-7' 'ethernet0.pnicFeatures' 'it''s 4' }
# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-cpu-affinity: "0 1" -> "", for a-rule
# needs: live
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cpu-affinity') '0 1' '' { (Get-View -Id 'VirtualMachine-vm-7').Config.CpuAffinity.AffinitySet -join ' ' } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.CpuAffinity = New-Object VMware.Vim.VirtualMachineAffinityInfo -Property @{ AffinitySet = ([int[]]@()) } } }
# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-ht-sharing: "none" -> "any", for a-rule
# needs: live
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-ht-sharing') 'none' 'any' { (Get-View -Id 'VirtualMachine-vm-7').Config.Flags.HtSharing } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.Flags = New-Object VMware.Vim.VirtualMachineFlagInfo -Property @{ HtSharing = 'any' } } }
# step 7: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# 2000 vdisk-iops-limit: "100" -> "-1", for a-rule
# needs: live
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': 2000 vdisk-iops-limit') '100' '-1' { (Get-Disk 'VirtualMachine-vm-7' '2000').StorageIOAllocation.Limit } { Set-DiskLimit 'VirtualMachine-vm-7' '2000' ([long]-1) }
# step 8: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-cpu-hotadd: "true" -> "false", for a-rule
# needs: power-off
# deferred: the VM has to be off, and runs
# owner: db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018; the change belongs in db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018
  if (Test-Off 'VirtualMachine-vm-7') { Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cpu-hotadd') 'true' 'false' { (Get-View -Id 'VirtualMachine-vm-7').Config.CpuHotAddEnabled } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.CpuHotAddEnabled = $false } } }
# step 8: vm db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# vm-cores-per-numa-node: unset -> "8", for a-rule
# needs: power-off
# deferred: the VM has to be off, and runs
# owner: db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018; the change belongs in db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018
  if (Test-Off 'VirtualMachine-vm-7') { Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cores-per-numa-node') '0' '8' { (Get-View -Id 'VirtualMachine-vm-7').Config.NumaInfo | ForEach-Object { if ($_.AutoCoresPerNumaNode) { 0 } else { $_.CoresPerNumaNode } } } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.VirtualNuma = New-Object VMware.Vim.VirtualMachineVirtualNuma -Property @{ CoresPerNumaNode = ([long]8) } } } }
# step 9: cluster db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# cluster-drs-automation: "manual" -> "fullyAutomated", for a-rule
# needs: live
  Edit-Setting ('cluster db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': cluster-drs-automation') 'manual' 'fullyAutomated' { (Get-View -Id 'ClusterComputeResource-domain-c7').ConfigurationEx.DrsConfig.DefaultVmBehavior } { Set-Drs 'ClusterComputeResource-domain-c7' { param($drs) $drs.DefaultVmBehavior = 'fullyAutomated' } }
# step 10: pool db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# pool-cpu-limit: "1000" -> "-1", for a-rule
# needs: live
# cannot be undone: nothing does
  Edit-Setting ('pool db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': pool-cpu-limit') '1000' '-1' { (Get-View -Id 'ResourcePool-resgroup-8').Config.CpuAllocation.Limit } { Set-PoolLimit 'ResourcePool-resgroup-8' CpuAllocation ([long]-1) }
# step 11: switch db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# switch-nioc: "false" -> "true", for a-rule
# needs: live
  Edit-Setting ('switch db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': switch-nioc') 'false' 'true' { (Get-View -Id 'VmwareDistributedVirtualSwitch-dvs-3').Config.NetworkResourceManagementEnabled } { (Get-View -Id 'VmwareDistributedVirtualSwitch-dvs-3').EnableNetworkResourceManagement($true) }
# step 12: datastore db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018 ()
# datastore-unmap: "low" -> "none", for a-rule
# needs: live
  Edit-Setting ('datastore db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': datastore-unmap') 'low' 'none' { (Get-View -Id 'Datastore-datastore-4').Info.Vmfs.UnmapPriority } { Set-Unmap 'Datastore-datastore-4' 'none' }
} else {
  Edit-Setting ('datastore db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': datastore-unmap') 'none' 'low' { (Get-View -Id 'Datastore-datastore-4').Info.Vmfs.UnmapPriority } { Set-Unmap 'Datastore-datastore-4' 'low' }
  Edit-Setting ('switch db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': switch-nioc') 'true' 'false' { (Get-View -Id 'VmwareDistributedVirtualSwitch-dvs-3').Config.NetworkResourceManagementEnabled } { (Get-View -Id 'VmwareDistributedVirtualSwitch-dvs-3').EnableNetworkResourceManagement($false) }
  Write-Host ('cannot be undone: pool db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': pool-cpu-limit')
  Edit-Setting ('cluster db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': cluster-drs-automation') 'fullyAutomated' 'manual' { (Get-View -Id 'ClusterComputeResource-domain-c7').ConfigurationEx.DrsConfig.DefaultVmBehavior } { Set-Drs 'ClusterComputeResource-domain-c7' { param($drs) $drs.DefaultVmBehavior = 'manual' } }
  if (Test-Off 'VirtualMachine-vm-7') { Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cores-per-numa-node') '8' '0' { (Get-View -Id 'VirtualMachine-vm-7').Config.NumaInfo | ForEach-Object { if ($_.AutoCoresPerNumaNode) { 0 } else { $_.CoresPerNumaNode } } } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.VirtualNuma = New-Object VMware.Vim.VirtualMachineVirtualNuma -Property @{ CoresPerNumaNode = ([long]0) } } } }
  if (Test-Off 'VirtualMachine-vm-7') { Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cpu-hotadd') 'false' 'true' { (Get-View -Id 'VirtualMachine-vm-7').Config.CpuHotAddEnabled } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.CpuHotAddEnabled = $true } } }
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': 2000 vdisk-iops-limit') '-1' '100' { (Get-Disk 'VirtualMachine-vm-7' '2000').StorageIOAllocation.Limit } { Set-DiskLimit 'VirtualMachine-vm-7' '2000' ([long]100) }
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-ht-sharing') 'any' 'none' { (Get-View -Id 'VirtualMachine-vm-7').Config.Flags.HtSharing } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.Flags = New-Object VMware.Vim.VirtualMachineFlagInfo -Property @{ HtSharing = 'none' } } }
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cpu-affinity') '' '0 1' { (Get-View -Id 'VirtualMachine-vm-7').Config.CpuAffinity.AffinitySet -join ' ' } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.CpuAffinity = New-Object VMware.Vim.VirtualMachineAffinityInfo -Property @{ AffinitySet = ([int[]]@(0, 1)) } } }
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-vmx/ethernet0.pnicFeatures') 'it''s 4' '' { Get-VMXKey 'VirtualMachine-vm-7' 'ethernet0.pnicFeatures' } { Set-VMXKey 'VirtualMachine-vm-7' 'ethernet0.pnicFeatures' '' }
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-cpu-limit') '-1' '1000' { (Get-View -Id 'VirtualMachine-vm-7').Config.CpuAllocation.Limit } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.CpuAllocation = New-Object VMware.Vim.ResourceAllocationInfo -Property @{ Limit = ([long]1000) } } }
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-memory-lock') 'true' 'false' { (Get-View -Id 'VirtualMachine-vm-7').Config.MemoryReservationLockedToMax } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.MemoryReservationLockedToMax = $false }; Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.MemoryAllocation = New-Object VMware.Vim.ResourceAllocationInfo -Property @{ Reservation = ([long]512) } } }
  Edit-Setting ('vm db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': vm-latency') 'high' 'normal' { (Get-View -Id 'VirtualMachine-vm-7').Config.LatencySensitivity.Level } { Set-VMField 'VirtualMachine-vm-7' { param($spec) $spec.LatencySensitivity = New-Object VMware.Vim.LatencySensitivity -Property @{ Level = 'normal' } } }
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': naa.1 lun-outstanding-ios') '64' '32' { (Get-EsxDevice 'HostSystem-host-11' 'naa.1').NoofoutstandingIOswithcompetingworlds } { Set-EsxDevice 'HostSystem-host-11' 'naa.1' ([long]32) }
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': nmlx5_core driver-options/RSS') '4,4' '0' { Get-Option 'HostSystem-host-11' 'nmlx5_core' 'RSS' } { Set-Option 'HostSystem-host-11' 'nmlx5_core' 'RSS' '0' }
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': hyperthreading') 'true' 'false' { (Get-Part 'HostSystem-host-11' CpuScheduler).HyperthreadInfo.Config } { Set-HyperThreading 'HostSystem-host-11' $false }
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': power-policy') 'static' 'dynamic' { (Get-Part 'HostSystem-host-11' PowerSystem).Info.CurrentPolicy.ShortName } { Set-PowerPolicy 'HostSystem-host-11' 'dynamic' }
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': host-option/VMkernel.Boot.netNetqueueEnabled') 'true' 'false' { (Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'VMkernel.Boot.netNetqueueEnabled').Value } { Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'VMkernel.Boot.netNetqueueEnabled' | Set-AdvancedSetting -Confirm:$false -Value $false }
  Edit-Setting ('host db''; touch harmed; #\n$(touch harmed) `touch harmed` ' + [char]8217 + '; New-Item harmed; ' + [char]8216 + ': host-option/Net.NetNetqNumaIOCpuPinThreshold') '60' '0' { (Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'Net.NetNetqNumaIOCpuPinThreshold').Value } { Get-VMHost -Id 'HostSystem-host-11' | Get-AdvancedSetting -Name 'Net.NetNetqNumaIOCpuPinThreshold' | Set-AdvancedSetting -Confirm:$false -Value ([long]0) }
}
