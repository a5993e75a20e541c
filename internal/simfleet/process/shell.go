package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

// KnownHostsPrefix begins the name of a fleet's known-hosts file; the process id follows.
const KnownHostsPrefix = "known_hosts-"

// simVariable is a variable that vperf sim exports.
type simVariable struct {
	name, value string
}

// simVariables returns the variables for one endpoint. GOVC_* is for govc and any client that reads it. VPERF_* beats the
// context and GOVC_*. VPERF_CONTEXT=--none leaves the current context out, so that commands that write do not refuse.
func simVariables(p Place, knownHosts string) (govc, own []simVariable) {
	for _, v := range []simVariable{
		{"URL", p.URL}, {"USERNAME", p.User}, {"PASSWORD", p.Password}, {"TLS_KNOWN_HOSTS", knownHosts},
	} {
		govc = append(govc, simVariable{"GOVC_" + v.name, v.value})
		own = append(own, simVariable{"VPERF_" + v.name, v.value})
	}
	return govc, append(own, simVariable{"VPERF_CONTEXT", config.NoContext})
}

// ShellLines set the environment for the vCenter. The others stand behind a colon and a number sign: a comment to most
// shells and, to those that know no comments while they talk to people, a command that does nothing.
func ShellLines(r Record) string {
	var b strings.Builder
	for i, p := range r.Endpoints {
		govc, own := simVariables(p, r.KnownHosts)
		if i == 0 {
			b.WriteString(exportLine(govc) + "\n" + exportLine(own) + "\n")
			continue
		}
		fmt.Fprintf(&b, ": # %s: %s\n", p.Name, exportLine(append(govc, own...)))
	}
	return b.String()
}

func exportLine(all []simVariable) string {
	words := []string{"export"}
	for _, v := range all {
		words = append(words, v.name+"="+iostreams.Quoted(v.value))
	}
	return strings.Join(words, " ")
}

// UnsetLines returns the lines that undo ShellLines. They keep variables that this environment got from elsewhere.
func UnsetLines(dir string) string {
	var b strings.Builder
	for _, prefix := range []string{"GOVC_", "VPERF_"} {
		if os.Getenv(prefix+"URL") == "" || fromSim(dir, prefix) {
			b.WriteString(unsetLine(prefix) + "\n")
		}
	}
	return b.String()
}

// StaleLines returns UnsetLines for a shell whose fleet has ended: only variables that came from a fleet.
func StaleLines(dir string) string {
	var b strings.Builder
	for _, prefix := range []string{"GOVC_", "VPERF_"} {
		if fromSim(dir, prefix) {
			b.WriteString(unsetLine(prefix) + "\n")
		}
	}
	return b.String()
}

func unsetLine(prefix string) string {
	govc, own := simVariables(Place{}, "")
	words := []string{"unset"}
	for _, v := range append(govc, own...) {
		if strings.HasPrefix(v.name, prefix) {
			words = append(words, v.name)
		}
	}
	return strings.Join(words, " ")
}

// fromSim reports whether the variables of a prefix came from a fleet, running or ended: their known-hosts file is in the
// fleets' folder.
func fromSim(dir, prefix string) bool {
	file := os.Getenv(prefix + "TLS_KNOWN_HOSTS")
	return filepath.Dir(file) == dir && strings.HasPrefix(filepath.Base(file), KnownHostsPrefix)
}
