// Package vspheretest helps to test the packages of internal/vsphere: it has govmomi's simulator over HTTPS, endpoints of the
// demo fleet, a recorded vCenter, and requests that fail.
package vspheretest
