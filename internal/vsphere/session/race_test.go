//go:build race

package session_test

func init() { raceDetector = true }
