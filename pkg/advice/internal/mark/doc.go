// Package mark selects objects by name, kind, tag and custom attribute, and collects mistakes in such marks.
package mark
