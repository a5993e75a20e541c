package capture

import "errors"

// ErrNoCommonHost reports that captures and a snapshot have no host in common.
var ErrNoCommonHost = errors.New("none of the hosts in the captures is in the snapshot")

// FileError reports a file that is not a capture, or cannot be read.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return "capture " + e.Path + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }
