// Package account reads what the logged-in account sees and may do: the objects of the inventory, and its privileges on them. It
// changes nothing.
package account
