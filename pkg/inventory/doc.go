// Package inventory holds what vperf knows about a fleet: plain structs of facts, and nothing that fetches or
// judges them.
//
// A [Snapshot] is the fleet at one moment: one [VCenter] for each endpoint read, and under it clusters, resource
// pools, hosts and virtual machines in vSphere's own words. Every property that had to be fetched is a [Fact]: it
// is known, absent (this release or device has no such thing) or unread (nobody could look, and why). The zero
// value is unread, so a fact that was forgotten can never be taken for an answer.
//
// Beside the facts stand the two vocabularies that rules, demo fleet and documentation share: the table of ESXi
// advanced options by release ([LookupOption]) and the table of settings a remedy may address ([LookupSetting]).
//
// The package imports nothing of vSphere's and nothing of vperf's.
package inventory
