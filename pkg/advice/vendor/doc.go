// Package vendor holds the settings that storage vendors publish, and answers what they publish for an object.
//
// A vendor knows some values better than a default does. Rules ask [List.About] before they report a value that is not the
// default. What rests on facts that were not read is said so, with the facts.
package vendor
