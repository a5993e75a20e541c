package doctor

import (
	"fmt"
	"time"
)

// Machine is what vperf finds on the machine that it runs on.
type Machine struct {
	Version string
	Built   time.Time // of the commit, or of the program's file; zero: not known
	OfFile  bool      // Built is the time of the file
	Now     time.Time

	ConfigFile   string
	ConfigExists bool

	StateDir string // journals, sandboxes
	StateErr error  // why there is no such folder
}

// old is the age from which a newer release is likely to know newer releases of ESXi.
const old = 365 * 24 * time.Hour

// Check returns the results for this machine.
func (m Machine) Check() []Result {
	return []Result{m.program(), m.config(), m.state()}
}

func (m Machine) program() Result {
	r := Result{ID: "vperf", Status: OK, Text: m.Version}
	if m.Built.IsZero() {
		r.Text += "; its age is not known"
		return r
	}
	what := "built on "
	if m.OfFile {
		what = "file of "
	}
	r.Text += "; " + what + m.Built.UTC().Format(time.DateOnly)
	if age := m.Now.Sub(m.Built); age > old {
		r.Status = Warning
		r.Cause = fmt.Sprintf("it is %d days old: newer releases of vperf know newer releases of ESXi", int(age.Hours()/24))
	}
	return r
}

func (m Machine) config() Result {
	r := Result{ID: "config file", Status: OK, Text: m.ConfigFile}
	if !m.ConfigExists {
		r.Status, r.Text = Absent, "there is no "+m.ConfigFile
	}
	return r
}

func (m Machine) state() Result {
	r := Result{ID: "journals", Status: OK, Text: m.StateDir + " is writable"}
	if m.StateErr != nil {
		return Result{ID: r.ID, Status: Fail, Text: "there is no folder for journals", Cause: m.StateErr.Error(), Try: []string{stateTry}}
	}
	folder, err := writableFolder(m.StateDir)
	switch {
	case err != nil:
		r.Status, r.Text, r.Cause, r.Try = Fail, m.StateDir+" is not writable, and every change needs a journal", err.Error(), []string{stateTry}
	case folder != m.StateDir:
		r.Text = m.StateDir + " can be made"
	}
	return r
}

const stateTry = "export XDG_STATE_HOME=FOLDER names another folder"
