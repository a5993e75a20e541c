// Package probing asks a server and its hosts for what a probe file holds: definitions, schemas and shapes, and which calls are
// answered. It changes nothing. A call that fails is recorded, and the next one is made.
package probing
