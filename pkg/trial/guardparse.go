package trial

// ParseGuard reads a guard as a user types it: SCOPE.METRIC<VALUE or SCOPE.METRIC>VALUE, as vm.cpu.ready<5%. The
// condition is what has to stay true. Scopes: host, vm, lun, nic, vnic, vdisk.
func ParseGuard(text string) (Guard, error) { panic("not written yet") }
