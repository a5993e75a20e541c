// Package vspheretest is for the tests of the rooms of internal/vsphere: govmomi's simulator behind HTTPS, endpoints of the
// demo fleet, a recorded vCenter, and requests that go wrong.
package vspheretest
