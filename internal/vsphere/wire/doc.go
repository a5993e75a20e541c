// Package wire decodes the answers that make up nearly all of the data that vperf reads (pages of properties, counter samples, texts
// of Esxtop services), several times faster than govmomi's general decoder and into the same structs.
//
// It handles XML in the form that vSphere servers write, and leaves everything else to govmomi's decoder from the first byte on:
// faults, truncated or malformed pages, and unknown content. So the result does not depend on the decoder, and errors are
// govmomi's.
package wire
