// Package tuning will change: plan, apply, verify, journal and rollback over three small interfaces of its own. Nothing
// lives here yet; its walls already stand: no govmomi, no advice, no printing.
package tuning
