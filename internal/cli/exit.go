package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// The exit codes; docs/exit-codes.md explains them.
const (
	exitClean       = 0
	exitFailed      = 1   // vperf failed
	exitUsage       = 2   // wrong usage, rule or config
	exitFindings    = 3   // findings at or above --fail-on
	exitIncomplete  = 4   // too much could not be read for a gate
	exitUndone      = 5   // apply failed, and nothing of it is left
	exitNotUndone   = 6   // apply failed, and something of it is left
	exitStale       = 7   // the plan is not true any more
	exitLocked      = 8   // another run is at work
	exitPending     = 9   // done, and something waits
	exitRefused     = 10  // declined, or refused by policy
	exitInterrupted = 130 // Ctrl-C
)

// usageError is something the user typed or wrote that cannot be meant.
type usageError struct {
	err  error
	help string // the command whose --help says more
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usage makes an error one of usage; nil stays nil.
func usage(err error, c *cobra.Command) error {
	if err == nil {
		return nil
	}
	return &usageError{err, c.CommandPath() + " --help"}
}

// findingsError says that a gate is closed.
type findingsError struct {
	atLeast advice.Severity
	new     bool // those of a baseline do not count
}

func (e *findingsError) Error() string {
	kind := "findings"
	if e.new {
		kind = "new findings"
	}
	return fmt.Sprintf("there are %s of severity %s or worse (--fail-on %s)", kind, e.atLeast, e.atLeast)
}

// incompleteError says that a gate cannot be judged.
type incompleteError struct{ why []string }

func (e *incompleteError) Error() string {
	return "the audit is incomplete:\n  " + strings.Join(e.why, "\n  ") +
		"\n--allow-incomplete takes it as it is"
}

// pendingError says that what was done is not all in force, or not all done.
type pendingError struct{ why []string }

func (e *pendingError) Error() string { return strings.Join(e.why, "\n") }

// driftError says that something is not as a run left it.
type driftError struct{ changes int }

func (e *driftError) Error() string {
	return counted(e.changes, "change") + " not as they were left: somebody else was there since"
}

// errEnded is a server that was told to end and did: nothing was interrupted.
var errEnded = errors.New("ended")

// isVerdict reports errors that are a command's answer and not a failure.
func isVerdict(err error) bool {
	code := exitCode(err)
	return code >= exitFindings && code <= exitRefused
}

// exitCode is the one place where the type of an error becomes a code.
func exitCode(err error) int {
	var (
		wrong      *usageError
		rule       *advice.UnknownRuleError
		param      *advice.UnknownParamError
		value      *advice.ParamValueError
		problems   advice.RuleErrors
		lint       *lintError
		noHost     *inventory.NoMatchError
		ambiguous  *inventory.AmbiguousError
		findings   *findingsError
		incomplete *incompleteError
		drift      *driftError
		conflict   *tuning.ConflictError
		file       *capture.FileError
	)
	if code := changeCode(err); code != exitClean {
		return code
	}
	switch {
	case err == nil, iostreams.IsBrokenPipe(err):
		return exitClean
	case errors.Is(err, source.ErrInterrupted):
		return exitInterrupted
	case errors.As(err, &findings), errors.As(err, &drift):
		return exitFindings
	case errors.As(err, &incomplete):
		return exitIncomplete
	case errors.As(err, &wrong), errors.As(err, &rule), errors.As(err, &param), errors.As(err, &value), errors.As(err, &problems),
		errors.As(err, &lint), errors.As(err, &noHost), errors.As(err, &ambiguous), errors.Is(err, config.ErrNoServer), errors.Is(err, exporter.ErrHistoryByTag), errors.Is(err, inventory.ErrNotSnapshot),
		errors.Is(err, advice.ErrNotBaseline), errors.Is(err, tuning.ErrNotPlan), errors.As(err, &conflict), errors.As(err, &file), errors.Is(err, capture.ErrOthers):
		return exitUsage
	}
	return exitFailed
}

// changeCode is the exit code of an error of changing things; exitClean is that it is none. What a run failed with may be
// anything: that it failed counts.
func changeCode(err error) int {
	var (
		failed  *tuning.FailedError
		stale   *tuning.StaleError
		locked  *tuning.LockedError
		refused *tuning.RefusedError
		pending *pendingError
	)
	switch {
	case errors.As(err, &failed) && failed.Undone:
		return exitUndone
	case errors.As(err, &failed):
		return exitNotUndone
	case errors.As(err, &stale):
		return exitStale
	case errors.As(err, &locked):
		return exitLocked
	case errors.As(err, &refused):
		return exitRefused
	case errors.As(err, &pending):
		return exitPending
	}
	return exitClean
}

// conclude says what went wrong, once, and returns the exit code. A reader that went away (| head) is nobody to tell.
func conclude(io *iostreams.IO, err error) int {
	code := exitCode(err)
	if code == exitClean {
		return code
	}
	if mistakes, ok := errors.AsType[advice.RuleErrors](err); ok { // their lines begin with the file, for editors
		fmt.Fprintf(io.Err, "vperf: %s\n", counted(len(mistakes), "mistake"))
		fmt.Fprintln(io.Err, iostreams.Printable(mistakes))
		return code
	}
	fmt.Fprintf(io.Err, "vperf: %s\n", iostreams.Printable(err))
	if wrong, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(io.Err, "see %s\n", wrong.help)
	}
	return code
}

// lintError says that rules are not as they have to be; what is wrong has been told.
type lintError struct{ why string }

func (e *lintError) Error() string { return e.why }

// configError is a mistake in what was typed or in the config file, as against a disk that is full.
type configError struct{ error }

// Unwrap is the mistake.
func (e configError) Unwrap() error { return e.error }

// asUsage makes mistakes errors of usage and leaves others as they are.
func asUsage(err error, c *cobra.Command) error {
	if _, ok := errors.AsType[configError](err); ok {
		return usage(err, c)
	}
	return err
}

func mistake(err error) error {
	if err == nil {
		return nil
	}
	return configError{err}
}
