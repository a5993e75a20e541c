// Package examplefleet builds the small fleet that the facts of a rule's example describe, and checks the facts'
// spelling.
package examplefleet
