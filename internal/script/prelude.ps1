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
