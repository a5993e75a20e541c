package change

// vmFlagSettings are flags of the virtual machine monitor. Flags that are not sent keep their values.
var vmFlagSettings = map[string]vmSetting{
	"vm-ht-sharing": oneWord("config.flags.htSharing",
		func(e *vmEdit, sharing string) { e.flags().HtSharing = sharing }, "any", "none", "internal"),
	"vm-virtual-mmu": oneWord("config.flags.virtualMmuUsage",
		func(e *vmEdit, usage string) { e.flags().VirtualMmuUsage = usage }, "automatic", "on", "off"),
	"vm-virtual-exec": oneWord("config.flags.virtualExecUsage",
		func(e *vmEdit, usage string) { e.flags().VirtualExecUsage = usage }, "hvAuto", "hvOn", "hvOff"),
	"vm-monitor-type": oneWord("config.flags.monitorType",
		func(e *vmEdit, kind string) { e.flags().MonitorType = kind }, "release", "debug", "stats"),
	"vm-logging": trueOrFalse("config.flags.enableLogging", func(e *vmEdit, on bool) { e.flags().EnableLogging = &on }),
}
