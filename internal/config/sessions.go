package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// sessionDir is where govc keeps its sessions, so that a login of the one serves the other and audits in a loop do not
// fill the server with sessions; "" where VPERF_PERSIST_SESSION or GOVC_PERSIST_SESSION is false. GOVMOMI_HOME moves it,
// as for govc.
func sessionDir() (string, error) {
	for _, name := range []string{ownPrefix + "PERSIST_SESSION", govcPrefix + "PERSIST_SESSION"} {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		keep, err := strconv.ParseBool(text)
		if err != nil {
			return "", fmt.Errorf("%s is %q: want true or false", name, text)
		}
		if !keep {
			return "", nil
		}
		break
	}
	home := os.Getenv("GOVMOMI_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", nil //nolint:nilerr // a user without a home, as in a container, logs in each time
		}
		home = filepath.Join(user, ".govmomi")
	}
	return filepath.Join(home, "sessions"), nil
}
