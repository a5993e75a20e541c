// Package property retrieves properties of managed objects and makes facts of them.
//
// A [Reader] runs a [Query] page by page; [Objects] and [Object] read objects that are named. What the server said of one
// object are its [Props]. [Read] makes a fact of one property: known, absent, or unread with the reason. A [Table] says
// which facts of a kind of object come from which properties, and what an unset one means; its [Plan] asks for what is
// needed alone.
package property
