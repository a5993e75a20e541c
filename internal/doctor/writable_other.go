//go:build !linux && !darwin

package doctor

import (
	"errors"
	"os"
)

// mayWrite makes a file and removes it: other systems have no question to ask.
func mayWrite(folder string) error {
	f, err := os.CreateTemp(folder, ".vperf-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
