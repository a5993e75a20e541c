package trialreport

import (
	"errors"
	"io"

	"github.com/vperf/vperf/internal/trials"
)

// Page writes the report of a trial as one HTML file.
func Page(io.Writer, *trials.Recorded) error {
	return errors.New("the page of a trial cannot be written yet; vperf trial show -o md has all of it")
}
