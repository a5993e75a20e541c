//go:build !linux

package residence

// ReleaseProgram does nothing: only Linux has a call for it.
func ReleaseProgram() {}
