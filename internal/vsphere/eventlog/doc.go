// Package eventlog reads the events of a server that disturb a measurement, or must end it: migrations, snapshots, maintenance
// mode, alarms, lost hosts, dead paths. It decides nothing about the measurement.
package eventlog
