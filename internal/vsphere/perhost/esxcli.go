package perhost

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// CommandLine is the esxcli interface of one host. It is opened with the first command; after a refusal it is not opened again.
type CommandLine struct {
	Session *session.Session
	Host    ref
	opened  *esxcli
	refused error // why it cannot be opened
	hung    error // the call that the host did not answer in time
}

// notice remembers that the host did not answer in time: each further call would take as long. Callers ask Hung before a call.
func (l *CommandLine) notice(ctx context.Context, err error) {
	if l.hung == nil && ctx.Err() == nil && session.Reason(err) == session.ReasonTimeout {
		l.hung = err
	}
}

// Hung returns the error of the first call that the host did not answer in time; nil: there was none.
func (l *CommandLine) Hung() error { return l.hung }

// Run runs a command and returns the rows of its answer, or why they are unread.
func (l *CommandLine) Run(ctx context.Context, command string, flags ...Flag) inventory.Fact[[]esx.Values] {
	if l.hung != nil {
		return inventory.Unread[[]esx.Values](session.Cause(l.hung))
	}
	if err := l.open(ctx); err != nil {
		l.notice(ctx, err)
		return inventory.Unread[[]esx.Values]("esxcli: " + session.Cause(err))
	}
	rows, err := l.opened.list(ctx, command, flags...)
	if err != nil {
		l.notice(ctx, err)
		return inventory.Unread[[]esx.Values](session.Plain(err.Error()))
	}
	return inventory.Known(rows)
}

// open opens the command line, unless that was refused before.
func (l *CommandLine) open(ctx context.Context) error {
	if l.opened == nil && l.refused == nil {
		l.opened, l.refused = newESXCLI(ctx, l.Session, l.Host)
	}
	return l.refused
}

// Open opens the command line, unless that was tried before.
func (l *CommandLine) Open(ctx context.Context) error { return l.open(ctx) }

// ErrNoCommand means that a name space of the host's command line does not have the command.
var ErrNoCommand = errors.New("the host has no such command")

// Try runs a command and returns the rows of its answer, or the host's own error, for [CLIFaultName].
func (l *CommandLine) Try(ctx context.Context, command string, flags ...Flag) (rows []esx.Values, err error) {
	if err := l.open(ctx); err != nil {
		return nil, err
	}
	words := strings.Fields(command)
	info, err := l.Describe(ctx, strings.Join(words[:len(words)-1], " "))
	if err != nil {
		return nil, err
	}
	name := words[len(words)-1]
	if !slices.ContainsFunc(info.Method, func(m esx.CommandInfoMethod) bool { return m.Name == name }) {
		return nil, ErrNoCommand
	}
	args, err := l.opened.arguments(ctx, command, flags)
	if err != nil {
		return nil, err
	}
	res, err := l.opened.guarded(ctx, command, args)
	if err != nil {
		return nil, err
	}
	return res.Values, nil
}

// Describe returns the commands of a name space, such as "network nic".
func (l *CommandLine) Describe(ctx context.Context, namespace string) (info *esx.CommandInfo, err error) {
	if err := l.open(ctx); err != nil {
		return nil, err
	}
	defer caught(&err, namespace)
	return l.opened.run.CommandInfo(ctx, strings.ReplaceAll(namespace, " ", "."))
}

// Change runs a command that changes something.
func (l *CommandLine) Change(ctx context.Context, command string, flags ...Flag) error {
	if l.opened == nil {
		cli, err := newESXCLI(ctx, l.Session, l.Host)
		if err != nil {
			return err
		}
		l.opened = cli
	}
	return l.opened.do(ctx, command, flags...)
}

// esxcli runs commands of the host's own command line through the API. It is not safe for concurrent use: it caches command
// descriptions in a map without a lock.
type esxcli struct{ run *esx.Executor }

// newESXCLI opens a host's command line. It takes two calls.
func newESXCLI(ctx context.Context, s *session.Session, host ref) (*esxcli, error) {
	c := &vim25.Client{Client: s.Client().Client, ServiceContent: s.Client().ServiceContent, RoundTripper: s}
	run, err := esx.NewExecutor(ctx, c, host)
	if err != nil {
		return nil, err
	}
	return &esxcli{run}, nil
}

// Flag is a flag of a command, such as -n, and its value.
type Flag struct{ Name, Value string }

// list runs a command, such as "network nic list", and returns the rows of its answer.
func (e *esxcli) list(ctx context.Context, command string, flags ...Flag) ([]esx.Values, error) {
	args, err := e.arguments(ctx, command, flags)
	if err != nil {
		return nil, err
	}
	res, err := e.guarded(ctx, command, args)
	if err != nil {
		return nil, cliError(command, err)
	}
	return res.Values, nil
}

// do runs a command that changes something, such as "storage core device set". Its output is ignored.
func (e *esxcli) do(ctx context.Context, command string, flags ...Flag) error {
	args, err := e.arguments(ctx, command, flags)
	if err != nil {
		return err
	}
	_, err = e.guarded(ctx, command, args)
	fault, said := errors.AsType[*esx.Fault](err)
	denied, forbidden := errors.AsType[*session.PermissionError](err)
	switch {
	case said:
		return cliError(command, fault)
	case forbidden:
		return &session.PermissionError{Privilege: denied.Privilege, Object: denied.Object, Host: denied.Host, Operation: "running esxcli " + command + " through", Write: true}
	case err == nil, err == io.EOF: //nolint:errorlint // the bare error is an empty answer; one inside another is a lost one
		return nil
	case !ofTheCall(err) && ctx.Err() == nil: // there was an answer that cannot be parsed
		return &session.UnsureError{Cause: err}
	}
	return session.Unsure(ctx, err)
}

// ofTheCall reports an error of the call itself, not of parsing its answer.
func ofTheCall(err error) bool {
	_, broken := errors.AsType[*session.ConnectError](err)
	return broken || session.FaultOf(err) != nil || session.Expired(err)
}

// arguments returns the command's words. The govmomi library ends the process if a command does not have a flag, so flags are
// looked up first.
func (e *esxcli) arguments(ctx context.Context, command string, flags []Flag) (args []string, err error) {
	defer caught(&err, command)
	args = strings.Fields(command)
	info, err := e.run.CommandInfoMethod(ctx, esx.NewCommand(args))
	if err != nil {
		return nil, cliError(command, err)
	}
	for _, f := range flags {
		if !takes(info, f.Name) {
			return nil, fmt.Errorf("esxcli %s has no flag %s on this release", command, f.Name)
		}
		args = append(args, f.Name, escapeXML(f.Value))
	}
	return args, nil
}

// caught converts a panic of the library, such as for an answer without content, to an error.
func caught(err *error, command string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("esxcli %s: the host answered in a form that vperf does not understand", command)
	}
}

func (e *esxcli) guarded(ctx context.Context, command string, args []string) (res *esx.Response, err error) {
	defer caught(&err, command)
	return e.run.Run(ctx, args)
}

func takes(info *esx.CommandInfoMethod, flag string) bool {
	return slices.ContainsFunc(info.Param, func(p esx.CommandInfoParam) bool { return slices.Contains(p.Aliases, flag) })
}

// escapeXML escapes a value, because the library puts values into a document unescaped.
func escapeXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer cannot fail
	return b.String()
}

// cliError adds an explanation to errors of the host's command line. Faults of the call itself have one already.
func cliError(command string, err error) error {
	if fault, ok := errors.AsType[*esx.Fault](err); ok {
		return fmt.Errorf("esxcli %s: %s", command, cliFaultWords(fault))
	}
	if session.Cause(err) != err.Error() || session.FaultOf(err) != nil {
		return errors.New(session.Cause(err))
	}
	return fmt.Errorf("esxcli %s: %w", command, err)
}
