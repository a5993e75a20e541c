// Package faulty is a proxy that misbehaves as networks and servers do. Tests put it between vperf and the simulator.
//
// A [Proxy] passes everything on until [Proxy.Inject] gives it a fault: which calls, and what happens to them.
package faulty
