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

// ShellLines set the environment for the vCenter and keep the variables that were there. The other endpoints stand behind a colon
// and a number sign: a comment to most shells and, to those that know no comments while they talk to people, a command that does
// nothing.
func ShellLines(r Record) string {
	var b strings.Builder
	for i, p := range r.Endpoints {
		govc, own := simVariables(p, r.KnownHosts)
		if i == 0 {
			dir := filepath.Dir(r.KnownHosts)
			b.WriteString(saveLine(dir, govc) + exportLine(govc) + "\n" + saveLine(dir, own) + exportLine(own) + "\n")
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

// saveLine keeps variables of the shell in others that are not exported, so that no file and no other process gets their values. It
// also lists those that are exported: a child process has only these. Variables of a fleet are not kept: the originals are kept
// already, or belong to another shell.
func saveLine(dir string, all []simVariable) string {
	return fmt.Sprintf(`case ${%[1]s_TLS_KNOWN_HOSTS-} in %[2]s*) ;; *) _vperf_%[1]s=,$(sh -c 'for v do eval "test -z \${$v+x} || printf $v,"; done' sh %[3]s); `+
		`for _vperf in %[3]s; do eval "unset _vperf_$_vperf; test -z \${$_vperf+x} || _vperf_$_vperf=\$$_vperf"; done ;; esac`+"\n",
		prefixOf(all), iostreams.Quoted(filepath.Join(dir, KnownHostsPrefix)), names("", all))
}

// RestoreLines undo ShellLines for the variables of this environment that came from a fleet: each gets the value that it had before,
// is exported if it was, and is unset if there was none. Variables that came from elsewhere stay.
func RestoreLines(dir string) string {
	var b strings.Builder
	govc, own := simVariables(Place{}, "")
	for _, all := range [][]simVariable{govc, own} {
		if !fromSim(dir, prefixOf(all)) {
			continue
		}
		fmt.Fprintf(&b, `for _vperf in %[2]s; do case ${_vperf_%[1]s-} in *,$_vperf,*) ;; *) unset $_vperf ;; esac; `+
			`eval "test -z \${_vperf_$_vperf+x} || $_vperf=\$_vperf_$_vperf"; done; unset _vperf _vperf_%[1]s %[3]s`+"\n",
			prefixOf(all), names("", all), names("_vperf_", all))
	}
	return b.String()
}

func prefixOf(all []simVariable) string {
	prefix, _, _ := strings.Cut(all[0].name, "_")
	return prefix
}

// names returns the names of variables as words, each after a prefix.
func names(prefix string, all []simVariable) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = prefix + v.name
	}
	return strings.Join(words, " ")
}

// InShell reports whether this environment is that of a fleet, running or ended: vperf reads that fleet where no flag names another
// source.
func InShell(dir string) bool { return fromSim(dir, "VPERF") }

// fromSim reports whether the variables of a prefix came from a fleet: their known-hosts file is in the fleets' folder.
func fromSim(dir, prefix string) bool {
	file := os.Getenv(prefix + "_TLS_KNOWN_HOSTS")
	return filepath.Dir(file) == dir && strings.HasPrefix(filepath.Base(file), KnownHostsPrefix)
}
