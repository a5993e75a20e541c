package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// contextAddOptions are the options of `vperf context add`.
type contextAddOptions struct {
	config.Context
	Insecure bool
	Use      bool
	Check    bool
}

func newContextAdd(f *Factory) *cobra.Command {
	o := new(contextAddOptions)
	c := &cobra.Command{
		Use:   "add NAME --url URL",
		Short: "Save a server as a context",
		Long: `Adds a context to the config file. --use makes it the current one, which
commands use unless --context, --url or a variable names another server. --check
logs in once and adds nothing if the login fails.

--keyring asks for the password once (or reads it from standard input if that is
not a terminal) and stores it in the keyring of the operating system.
--password-command runs a command without a shell; its first line of output is
the password. Without these flags the password comes from VPERF_PASSWORD, or
vperf asks for it each time.

Exit status: 0 done, 1 the file or the keyring cannot be written or --check
failed, 2 wrong usage or config.`,
		Example: `  vperf context add prod --url https://vcenter.example.com --username audit@vsphere.local --keyring --check --use
  vperf context add lab --url esx01.lab --username root --password-file ~/.esx-password --thumbprint AA:BB:…
  vperf context add dr --url vc.dr.example.com --username audit --password-command 'pass show vcenter/dr'`,
		Args: oneArg("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Name = args[0]
			if o.URL == "" {
				return usage(errors.New("--url URL is missing: where the server is"), c)
			}
			if err := config.CheckTypedURL(o.URL); err != nil {
				return usage(err, c)
			}
			if c.Flags().Changed("insecure") {
				o.Context.Insecure = &o.Insecure
			}
			return asUsage(runContextAdd(c.Context(), f, o), c)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(c)
	return c
}

func (o *contextAddOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.Use, "use", false, "make it the current context")
	f.BoolVar(&o.Check, "check", false, "log in once before adding it")
	f.StringVarP(&o.URL, "url", "u", "", "vCenter or ESXi `URL`, without a password")
	f.StringVar(&o.Username, "username", "", "`USER` that logs in")
	f.StringVar(&o.PasswordFile, "password-file", "", "the password is the first line of this `FILE`, which only you can read")
	f.StringVar(&o.PasswordCommand, "password-command", "", "the password is the first line that this `COMMAND` prints")
	f.BoolVar(&o.Keyring, "keyring", false, "keep the password in the operating system's keyring")
	f.BoolVarP(&o.Insecure, "insecure", "k", false, "accept any certificate")
	f.StringVar(&o.CAFiles, "tls-ca-certs", "", "trust the authorities in these `FILES` and no others")
	f.StringVar(&o.KnownHosts, "tls-known-hosts", "", "trust the certificates that this `FILE` lists by host and thumbprint")
	f.StringVar(&o.Thumbprint, "thumbprint", "", "accept only the certificate with this `DIGEST` (SHA-1 or SHA-256)")
	commandLineOnly(c)
}

func runContextAdd(ctx context.Context, f *Factory, o *contextAddOptions) error {
	file, err := config.Load()
	if err != nil {
		return mistake(err)
	}
	c := o.Context
	if err := absolute(&c.PasswordFile, &c.CAFiles, &c.KnownHosts); err != nil {
		return err
	}
	if err := file.Add(&c); err != nil {
		return mistake(err)
	}
	if o.Use {
		if err := file.Use(c.Name); err != nil {
			return mistake(err)
		}
	}
	password, err := newPassword(ctx, f.IO, &c)
	if err != nil {
		return err
	}
	if o.Check {
		if err := checkContext(ctx, f.IO, file, c.Name, password); err != nil {
			return fmt.Errorf("checking context %s, which was not added: %w", c.Name, err)
		}
	}
	if c.Keyring {
		if err := c.StoreInKeyring(ctx, password); err != nil {
			return err
		}
	}
	if err := file.Save(); err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Err, "added context %s to %s\n", c.Name, file.Path)
	printCurrent(f.IO, file, c.Name)
	return nil
}

// printCurrent prints which context is current after one was added.
func printCurrent(streams *iostreams.IO, file *config.File, name string) {
	switch file.Current {
	case name:
		fmt.Fprintf(streams.Err, "%s is the current context\n", name)
	case "":
		fmt.Fprintf(streams.Err, "no context is current: name it with --context %[1]s, or choose it with vperf context use %[1]s\n", name)
	default:
		fmt.Fprintf(streams.Err, "the current context is still %s\n", file.Current)
	}
	printOverridden(streams, file.Current)
}

// printOverridden prints the variable of this shell that wins over the current context.
func printOverridden(streams *iostreams.IO, current string) {
	if current == "" {
		return
	}
	if own := os.Getenv("VPERF_CONTEXT"); own != "" && own != current {
		fmt.Fprintf(streams.Err, "VPERF_CONTEXT=%s wins over it in this shell\n", iostreams.Sanitize(own))
	} else if os.Getenv("VPERF_URL") != "" {
		fmt.Fprintln(streams.Err, "VPERF_URL wins over it in this shell")
	}
}

// absolute makes paths that were typed here mean the same file from anywhere.
func absolute(lists ...*string) error {
	for _, list := range lists {
		all := filepath.SplitList(*list)
		for i, path := range all {
			full, err := filepath.Abs(path)
			if err != nil {
				return fmt.Errorf("finding %s: %w", path, err)
			}
			all[i] = full
		}
		*list = strings.Join(all, string(filepath.ListSeparator))
	}
	return nil
}

// newPassword gets the password that goes into the keyring; "" is that the context keeps none there.
func newPassword(ctx context.Context, streams *iostreams.IO, c *config.Context) (session.Secret, error) {
	if !c.Keyring {
		return "", nil
	}
	if ask := newConsole(streams).Ask; ask != nil {
		p, err := ask(ctx, "Password of context "+c.Name+": ")
		if err == nil && p == "" {
			err = mistake(errors.New("no password was typed: there is nothing to store"))
		}
		return p, err
	}
	p, err := config.FirstLine(userfile.Stream(ctx, streams.In))
	if err != nil {
		return "", mistake(fmt.Errorf("--keyring: standard input %w: type the password there, or pipe it in", err))
	}
	return p, nil
}

// checkContext logs in to the server of a context, and out again. It uses the password where one was just typed.
func checkContext(ctx context.Context, streams *iostreams.IO, file *config.File, name string, password session.Secret) error {
	chosen, err := file.Choose([]string{name}, false)
	if err != nil {
		return mistake(err)
	}
	m, err := resolve(config.Flags{}, chosen[0])
	if err != nil {
		return mistake(err)
	}
	m.warn(streams)
	m.endpoint.SessionDir = "" // a kept session would hide a wrong password
	if m.endpoint.Password = password; password == "" {
		if m.endpoint.Password, err = m.settings.Password(ctx, newConsole(streams)); err != nil {
			return mistake(err)
		}
	}
	opened, err := source.OpenServer(ctx, streams, m.endpoint)
	if err != nil {
		return err
	}
	defer opened.Close()
	s, err := change.Server(ctx, opened.Session)
	if err != nil {
		return err
	}
	fmt.Fprintf(streams.Err, "logged in as %s: %s\n", iostreams.Sanitize(m.endpoint.User), iostreams.Sanitize(wording.Server(s)))
	return nil
}
