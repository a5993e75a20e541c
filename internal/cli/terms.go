package cli

import (
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/tuning"
)

// termOptions are what the user agrees to beside the changes themselves; apply and rollback have them.
type termOptions struct {
	Yes            bool
	Reason, Ticket string
	Window         string
	Allow          []string
	Batch          int
}

// What --allow allows.
const (
	allowPowerCycle = "power-cycle"
	allowHostReboot = "host-reboot"
)

func (o *termOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	f.StringVar(&o.Reason, "reason", "", "`TEXT` for the journal and for the events in vCenter")
	f.StringVar(&o.Ticket, "ticket", "", "`NUMBER` of a ticket, for the same")
	f.StringVar(&o.Window, "window", "", "begin no step outside of this `TIME` of day, such as 22:00-04:00")
	f.StringSliceVar(&o.Allow, "allow", nil, "allow `WHAT` nobody is to be surprised by: power-cycle, host-reboot; may be repeated")
	f.IntVar(&o.Batch, "batch", 0, "`OBJECTS` that are changed between two looks at their hosts' health (default 5)")
	config.OnlyTyped(f, "yes", "allow", "batch")
	config.OwnName(f, "batch")
	completeWords(c, map[string][]string{"allow": {allowPowerCycle, allowHostReboot}})
}

func (o *termOptions) check() error {
	for _, word := range o.Allow {
		if err := oneOf("permission", word, []string{allowPowerCycle, allowHostReboot}); err != nil {
			return fmt.Errorf("--allow: %w", err)
		}
	}
	if o.Batch < 0 {
		return fmt.Errorf("--batch: %d objects are less than none", o.Batch)
	}
	_, err := o.window()
	return err
}

func (o *termOptions) window() (*tuning.Window, error) {
	if o.Window == "" {
		return nil, nil //nolint:nilnil // no window is any time
	}
	w, err := tuning.ParseWindow(o.Window)
	if err != nil {
		return nil, fmt.Errorf("--window: %w", err)
	}
	return w, nil
}

// terms tell tuning what was agreed to, and by whom.
func (o *termOptions) terms(f *Factory, account string) (tuning.Terms, error) {
	window, err := o.window()
	return tuning.Terms{
		User: whoRuns(account), Version: thisVersion().Version, Reason: o.Reason, Ticket: o.Ticket, Window: window, Batch: o.Batch,
		PowerCycle: slices.Contains(o.Allow, allowPowerCycle), HostReboot: slices.Contains(o.Allow, allowHostReboot),
		Tell: func(p tuning.Progress) { tell(f.IO, p) },
	}, err
}

// whoRuns is who runs vperf, on which machine, and the account at the server.
func whoRuns(account string) string {
	name := os.Getenv("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "a machine without a name"
	}
	return fmt.Sprintf("%s on %s as %s", name, machine, account)
}

// tell says what has just happened: nobody should sit before a silent screen while hosts are changed.
func tell(io *iostreams.IO, p tuning.Progress) {
	text := p.Text
	if !strings.Contains(text, p.Target.Name) {
		text = p.Target.Name + ": " + text
	}
	if p.Step > 0 {
		text = fmt.Sprintf("step %d  %s", p.Step, text)
	}
	fmt.Fprintln(io.Err, iostreams.Sanitize(text))
}
