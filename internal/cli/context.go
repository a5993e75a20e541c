package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
)

func newContext(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "context",
		Short: "Keep servers under names",
		Long: `A context is a server under a name: its URL, who logs in, how its certificate is
trusted and where the password is kept, which is never the file itself. Contexts are
in $VPERF_CONFIG, or else in vperf/config.yaml below $XDG_CONFIG_HOME (~/.config).

A value comes from the first of these that has it: a flag, a VPERF_… variable, the
context, a GOVC_… variable, the default. The server is that of --context or --url,
else of VPERF_URL, else of the context that VPERF_CONTEXT names or that is current,
else of GOVC_URL. What is for another server does not count, since a password must
not go to a server that it is not for: the context where --url or VPERF_URL wins,
VPERF_… where VPERF_URL names another server, GOVC_… where GOVC_URL does.

Where VPERF_URL, the context and GOVC_URL name different servers, commands that read
warn and say which one they read. Commands that write refuse: choose with --context
or --url. VPERF_CONTEXT=--none leaves the current context out, as vperf sim does.`,
		Example: `  vperf context add prod --url https://vcenter.example.com --username audit@vsphere.local --keyring
  vperf context use prod
  vperf audit --context prod,lab
  vperf audit --all-contexts --fail-on high`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newContextAdd(f), newContextUse(f), newContextList(f), newContextShow(f), newContextRemove(f))
	return c
}

// completeContexts offers the names of contexts to the shell.
func completeContexts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, err := config.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var found []cobra.Completion
	for _, c := range file.Contexts {
		found = append(found, cobra.CompletionWithDesc(c.Name, c.URL))
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeContext offers names where one is wanted.
func completeContext(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeContexts(c, args, typed)
}

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
