package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// The exit codes; docs/exit-codes.md explains them.
const (
	exitClean       = 0
	exitFailed      = 1   // vperf failed
	exitUsage       = 2   // wrong usage, rule or config
	exitFindings    = 3   // findings at or above --fail-on
	exitIncomplete  = 4   // too much could not be read for a gate
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

var errInterrupted = errors.New("interrupted")

// isVerdict reports errors that are an audit's answer and not a failure.
func isVerdict(err error) bool {
	var f *findingsError
	var i *incompleteError
	return errors.As(err, &f) || errors.As(err, &i)
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
	)
	switch {
	case err == nil, iostreams.IsBrokenPipe(err):
		return exitClean
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &findings):
		return exitFindings
	case errors.As(err, &incomplete):
		return exitIncomplete
	case errors.As(err, &wrong), errors.As(err, &rule), errors.As(err, &param), errors.As(err, &value), errors.As(err, &problems),
		errors.As(err, &lint), errors.As(err, &noHost), errors.As(err, &ambiguous), errors.Is(err, config.ErrNoServer), errors.Is(err, inventory.ErrNotSnapshot),
		errors.Is(err, advice.ErrNotBaseline):
		return exitUsage
	}
	return exitFailed
}

// conclude says what went wrong, once, and returns the exit code. A reader that went away (| head) is nobody to tell.
func conclude(io *iostreams.IO, err error) int {
	code := exitCode(err)
	if code == exitClean {
		return code
	}
	if mistakes, ok := errors.AsType[advice.RuleErrors](err); ok { // their lines begin with the file, for editors
		fmt.Fprintf(io.Err, "vperf: %s\n", counted(len(mistakes), "mistake"))
		fmt.Fprintln(io.Err, printable(mistakes))
		return code
	}
	fmt.Fprintf(io.Err, "vperf: %s\n", printable(err))
	if wrong, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(io.Err, "see %s\n", wrong.help)
	}
	return code
}

// printable makes what servers and files put into an error safe for a terminal, line by line.
func printable(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, l := range lines {
		lines[i] = iostreams.Sanitize(l)
	}
	return strings.Join(lines, "\n")
}
