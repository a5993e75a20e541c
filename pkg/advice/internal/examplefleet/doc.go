// Package examplefleet builds the small fleet that the facts of a rule's example describe, and checks how they are written.
package examplefleet
