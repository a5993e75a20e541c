// Package inventory holds the facts about a fleet as plain structs. It neither reads nor evaluates them.
//
// A [Snapshot] is the fleet at one moment: one [VCenter] for each endpoint read, and under it clusters, resource pools,
// hosts, VMs, switches and datastores.
//
// Every property that has to be read is a [Fact]: it is known, absent (this release or device does not have it) or
// unread (it could not be read, with the reason). The zero value is unread, so that a missing fact is never mistaken
// for a value.
//
// The package also has the two tables that rules, demo fleet and documentation share: ESXi advanced options by release
// ([LookupOption]), and the settings that a remedy can change ([LookupSetting]).
//
// The package imports neither vSphere packages nor other vperf packages.
package inventory
