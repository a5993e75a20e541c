// Package wire decodes pages of properties, the answers that make up nearly all that is read, several times faster than
// govmomi's general decoder and into the same structs.
//
// It knows XML as vSphere servers write it, and it never guesses: a fault, a page that is cut off or malformed, and
// whatever else it does not know goes to govmomi's decoder from the first byte on. So an answer means the same whoever
// decoded it, and errors are govmomi's.
package wire
