// Package tui is esxtop's screens: keys, layout and colours over frames of pkg/esxtop. What a screen says is computed as
// lines of text without any terminal; Run shows them in one, Plain prints them one below the other.
package tui
