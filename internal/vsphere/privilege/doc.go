// Package privilege lists the privileges that vperf's calls need. It is the only such list: the writers, the checks before a change,
// `vperf doctor` and the roles in docs/permissions.md all use it.
package privilege
