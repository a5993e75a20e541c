// Package tui has the screens of vperf top: esxtop's panels, a list of hosts, help and explanations over frames of pkg/esxtop. A
// screen is computed as lines of text without a terminal. Run shows it in a terminal, Plain prints one table after the other.
package tui
