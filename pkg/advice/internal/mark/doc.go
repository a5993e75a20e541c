// Package mark picks objects by name, kind, tag and custom attribute, and collects what is wrong with such marks.
package mark
