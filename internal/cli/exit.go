package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
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
	exitUndone      = 5   // apply failed; all its changes are reverted
	exitNotUndone   = 6   // apply failed; some of its changes remain
	exitStale       = 7   // the plan is out of date
	exitLocked      = 8   // another run is at work
	exitPending     = 9   // done, and something waits
	exitRefused     = 10  // declined, or refused by policy
	exitInterrupted = 130 // Ctrl-C
)

// usageError is something the user typed or wrote that cannot be meant.
type usageError struct {
	err  error
	help string // the command that says more; empty where the mistake is in no flag or argument
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

// fileError is a mistake in a file that the user named, or in its name. Help does not say more about it.
func fileError(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// findingsError says that a gate is closed.
type findingsError struct {
	atLeast advice.Severity
	new     bool   // those of a baseline do not count
	of      string // what has the findings, "the audit" if empty
}

func (e *findingsError) Error() string {
	kind := "findings"
	if e.new {
		kind = "new findings"
	}
	return fmt.Sprintf("%s has %s of severity %s or worse (--fail-on %s)", cmp.Or(e.of, "the audit"), kind, e.atLeast, e.atLeast)
}

// incompleteError says that a gate cannot be judged.
type incompleteError struct{ why []string }

func (e *incompleteError) Error() string {
	return "the audit is incomplete:\n  " + strings.Join(e.why, "\n  ") +
		"\n--allow-incomplete accepts this"
}

// pendingError reports that some changes are not made or not in force yet.
type pendingError struct{ why []string }

func (e *pendingError) Error() string { return strings.Join(e.why, "\n") }

// stillPending is a pendingError with reasons; without a reason it is nil.
func stillPending(why []string) error {
	if len(why) == 0 {
		return nil
	}
	return &pendingError{why}
}

// driftError says that something is not as a run left it.
type driftError struct{ changes int }

func (e *driftError) Error() string {
	return plural.Count(e.changes, "change") + " no longer in effect: somebody else changed the settings since"
}

// worseError says that a trial found harm.
type worseError struct{ why string }

func (e *worseError) Error() string { return e.why }

// undecidedError says that a trial has no answer.
type undecidedError struct{ why string }

func (e *undecidedError) Error() string { return e.why }

// errEnded is the error of a server that ended on request: it is not an interruption.
var errEnded = errors.New("ended")

// isVerdict reports errors that are a command's answer and not a failure.
func isVerdict(err error) bool {
	code := exitCode(err)
	return code >= exitFindings && code <= exitRefused
}

// exitCode maps err to an exit code; no other function does. The failure of a run takes precedence over the error that caused it.
func exitCode(err error) int {
	failed, isFailed := errors.AsType[*tuning.FailedError](err)
	switch {
	case isFailed && failed.Undone:
		return exitUndone
	case isFailed:
		return exitNotUndone
	case asAny(err, new(*tuning.StaleError)):
		return exitStale
	case asAny(err, new(*tuning.LockedError)):
		return exitLocked
	case asAny(err, new(*tuning.RefusedError)):
		return exitRefused
	case asAny(err, new(*pendingError)):
		return exitPending
	case err == nil, iostreams.IsBrokenPipe(err):
		return exitClean
	case errors.Is(err, source.ErrInterrupted):
		return exitInterrupted
	case asAny(err, new(*findingsError), new(*driftError), new(*worseError)):
		return exitFindings
	case asAny(err, new(*incompleteError), new(*undecidedError)):
		return exitIncomplete
	case isMistake(err):
		return exitUsage
	}
	return exitFailed
}

// isMistake reports whether err is a mistake in the user's command line or files.
func isMistake(err error) bool {
	for _, mistake := range []error{
		config.ErrNoServer, exporter.ErrHistoryByTag, inventory.ErrNotSnapshot, advice.ErrNotBaseline, tuning.ErrNotPlan, capture.ErrNoCommonHost, diff.ErrOtherServer,
	} {
		if errors.Is(err, mistake) {
			return true
		}
	}
	return asAny(err, new(*usageError), new(*userfile.Error), new(*userfile.SizeError), new(*advice.UnknownRuleError), new(*advice.UnknownParamError), new(*advice.ParamValueError),
		new(strictyaml.Errors), new(*lintError), new(*inventory.NoMatchError), new(*inventory.AmbiguousError), new(*tuning.ConflictError), new(*capture.FileError), new(*trials.TooShortError), new(*trials.ShortBlockError))
}

// asAny reports an error of one of several types.
func asAny(err error, targets ...any) bool {
	return slices.ContainsFunc(targets, func(target any) bool { return errors.As(err, target) })
}

// conclude prints err once and returns the exit code. It prints nothing if the reader of a pipe has closed it (| head).
func conclude(f *Factory, err error) int {
	io := f.IO
	code := exitCode(err)
	if code == exitClean {
		return code
	}
	if mistakes, ok := errors.AsType[strictyaml.Errors](err); ok { // their lines begin with the file, for editors
		fmt.Fprintf(io.Err, "vperf: %s\n", plural.Count(len(mistakes), "mistake"))
		fmt.Fprintln(io.Err, iostreams.Printable(mistakes))
		return code
	}
	fmt.Fprintf(io.Err, "vperf: %s\n", iostreams.Printable(errors.New(err.Error()+hint(err, f.typed))))
	if wrong, ok := errors.AsType[*usageError](err); ok && wrong.help != "" {
		fmt.Fprintf(io.Err, "see %s\n", wrong.help)
	}
	return code
}

// lintError reports that rules failed the lint; the problems are already printed.
type lintError struct{ why string }

func (e *lintError) Error() string { return e.why }

// configError is a mistake on the command line or in the config file, unlike, for example, a full disk.
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

// mistake marks err as a mistake in the command line or the config file; nil stays nil.
func mistake(err error) error {
	if err == nil {
		return nil
	}
	return configError{err}
}

// hint returns the command or flag to type for an error of a library, which knows neither.
func hint(err error, from typed.Source) string {
	var (
		param  *advice.UnknownParamError
		value  *advice.ParamValueError
		schema *inventory.SchemaError
		stale  *tuning.StaleError
		two    *tuning.ConflictError
		run    *tuning.UnknownRunError
	)
	switch {
	case errors.As(err, &param) && len(param.Params) > 0:
		choices := make([]string, len(param.Params))
		for i, p := range param.Params {
			choices[i] = fmt.Sprintf("--set %s.%s=VALUE", param.Rule, p)
		}
		return "; there is " + strings.Join(choices, ", ")
	case errors.As(err, &value) && value.Limited:
		return fmt.Sprintf("; without --set %s.%s it is %v, or the most that is accepted where that is less", value.Rule, value.Param, value.Example)
	case errors.As(err, &value):
		return fmt.Sprintf("; type for example --set %s.%s=%v", value.Rule, value.Param, value.Example)
	case errors.As(err, &schema):
		return fmt.Sprintf(" (%s writes one)", from.Command(writers[schema.Want]...))
	case asAny(err, new(*trials.TooShortError)):
		return ": give it more time with --for"
	case errors.As(err, &stale):
		return "\nmake a new one with " + from.Command("plan")
	case errors.Is(err, tuning.ErrEdited):
		return "; make a new one with " + from.Command("plan")
	case errors.As(err, &two):
		return "; choose one with --rule"
	case errors.As(err, &run):
		return "; vperf history list shows all"
	case asAny(err, new(*session.ConnectError), new(*session.TLSError), new(*session.LoginError), new(*session.PermissionError)):
		return "\n" + from.Command("doctor") + " checks the connection, the account and its privileges"
	}
	return ""
}

// writers are the commands that write files, by their schemas.
var writers = map[string][]string{
	inventory.SnapshotSchema: {"snapshot", "--out", "FILE"},
	advice.BaselineSchema:    {"audit", "--write-baseline", "FILE"},
	tuning.PlanSchema:        {"plan", "-o", "json=FILE"},
}
