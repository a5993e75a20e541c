// Package privilege lists the privileges that vperf's calls need besides those for writing settings, which each kind of setting has
// itself, and the roles that contain them. The writers, the checks before a change, `vperf doctor` and the roles in
// docs/permissions.md all use it.
package privilege
