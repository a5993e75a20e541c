// Package guard works around faults of govmomi's simulator, each where it says so:
//
//   - It believes what it is told. A wrong reference or number makes it panic, and some calls reach for files and containers of the
//     machine it runs on (check.go, inspect.go, device.go).
//   - A panic in a handler leaves the lock of the called object held for ever (contain.go).
//   - It walks through hosts' lists of VMs without a lock (views.go).
//   - It loses zeros in lists of numbers (zeros.go).
//   - It forgets what it told those who wait for updates (updates.go).
//   - It changes places and connection states without telling anybody (moves.go).
package guard
