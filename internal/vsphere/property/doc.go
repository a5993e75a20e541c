// Package property retrieves properties of managed objects and makes facts of them.
//
// A [Reader] runs a [Query] page by page; [Objects] and [Object] read given objects. [Props] holds the server's answer for one
// object. [Read] makes a fact of one property: known, absent, or unread with the reason. A [Table] defines which facts of a kind
// of object come from which properties, and what an unset property means; its [Plan] requests only the needed properties.
package property
