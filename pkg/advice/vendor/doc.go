// Package vendor holds the settings that storage vendors publish, and returns the published values for an object.
//
// For some settings, a vendor's value is better than the default. Rules ask [List.About] before they report a value
// that is not the default. If the answer depends on unread facts, it contains them.
package vendor
