package vsphere

// vmFlagSettings are switches of the monitor. Flags that are not sent stay as they are.
var vmFlagSettings = map[string]vmSetting{
	"vm-ht-sharing": word("config.flags.htSharing",
		func(e *vmEdit, sharing string) { e.flags().HtSharing = sharing }, "any", "none", "internal"),
	"vm-virtual-mmu": word("config.flags.virtualMmuUsage",
		func(e *vmEdit, usage string) { e.flags().VirtualMmuUsage = usage }, "automatic", "on", "off"),
	"vm-virtual-exec": word("config.flags.virtualExecUsage",
		func(e *vmEdit, usage string) { e.flags().VirtualExecUsage = usage }, "hvAuto", "hvOn", "hvOff"),
	"vm-monitor-type": word("config.flags.monitorType",
		func(e *vmEdit, kind string) { e.flags().MonitorType = kind }, "release", "debug", "stats"),
	"vm-logging": trueOrFalse("config.flags.enableLogging", func(e *vmEdit, on bool) { e.flags().EnableLogging = &on }),
}
