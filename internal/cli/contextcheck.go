package cli

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/session"
)

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
	opened, err := openServer(ctx, streams, m.endpoint)
	if err != nil {
		return err
	}
	defer opened.close()
	s, err := change.Server(ctx, opened.Source.(server).session)
	if err != nil {
		return err
	}
	fmt.Fprintf(streams.Err, "logged in as %s: %s\n", iostreams.Sanitize(m.endpoint.User), iostreams.Sanitize(describe(s)))
	return nil
}
