package vsphere

// Privileges of vSphere that reconfiguring a VM takes.
const (
	privilegeAdvanced = "VirtualMachine.Config.AdvancedConfig"
	privilegeCPUCount = "VirtualMachine.Config.CPUCount"
	privilegeEdit     = "VirtualMachine.Config.EditDevice"
	privilegeMemory   = "VirtualMachine.Config.Memory"
	privilegeResource = "VirtualMachine.Config.Resource"
	privilegeSettings = "VirtualMachine.Config.Settings"
)

// vmPrivileges are what writing a kind needs on the VM, as the API reference says of the fields of
// VirtualMachineConfigSpec. It says nothing of cores per socket and of virtual NUMA, which go with the number of vCPUs.
// A disk is sent whole, with its shares, and those count as a resource.
var vmPrivileges = map[string][]string{
	"vm-latency":             {privilegeResource},
	"vm-vcpus":               {privilegeCPUCount},
	"vm-cores-per-socket":    {privilegeCPUCount},
	"vm-cores-per-numa-node": {privilegeCPUCount},
	"vm-cpu-hotadd":          {privilegeCPUCount},
	"vm-vnuma-on-hotadd":     {privilegeCPUCount},
	"vm-memory-hotadd":       {privilegeMemory},
	"vm-cpu-affinity":        {privilegeResource},
	"vm-memory-affinity":     {privilegeResource},
	"vm-ht-sharing":          {privilegeSettings},
	"vm-virtual-mmu":         {privilegeSettings},
	"vm-virtual-exec":        {privilegeSettings},
	"vm-monitor-type":        {privilegeSettings},
	"vm-logging":             {privilegeSettings},
	"vm-cpu-reservation":     {privilegeResource},
	"vm-cpu-limit":           {privilegeResource},
	"vm-memory-reservation":  {privilegeResource},
	"vm-memory-limit":        {privilegeResource},
	"vm-memory-lock":         {privilegeResource},
	"vm-vmx":                 {privilegeAdvanced},
	"vdisk-iops-limit":       {privilegeEdit, privilegeResource},
}
