package capture

import "errors"

// ErrOthers is captures and a snapshot that have no host in common.
var ErrOthers = errors.New("none of the hosts in the captures is in the snapshot")

// FileError is a file that is no capture, or that cannot be read.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return "capture " + e.Path + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }
