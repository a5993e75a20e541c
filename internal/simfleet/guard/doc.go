// Package guard works around defects of govmomi's simulator:
//
//   - It does not validate arguments. An invalid reference or number makes it panic, and some calls use files and containers of the local machine (check.go, inspect.go, device.go).
//   - A panic in a handler leaves the lock of the called object held for ever (panics.go).
//   - It reads hosts' lists of VMs without a lock (views.go).
//   - It loses zeros in lists of numbers (zeros.go).
//   - It copies properties by encoding and decoding XML, which takes half of its time (retrieve.go, propertyvalue.go, clone.go).
//   - It does not remember the updates that it has sent to a collector (updates.go).
//   - It changes parents and connection states without sending updates (moves.go).
package guard
