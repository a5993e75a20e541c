package exporter

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"
)

// reloadLimit is how long reading the configuration may take: it is a file, and keyrings.
const reloadLimit = 30 * time.Second

// errNothingToReload is for an exporter whose targets were not read from anywhere.
var errNothingToReload = errors.New("this exporter was started without a configuration file and cannot reload")

// reloader reads the configuration again, one reload at a time. After an error, the targets continue unchanged.
type reloader struct {
	read  func(context.Context) ([]TargetConfig, error)
	fleet fleet
	log   *slog.Logger
	now   func() time.Time

	one  sync.Mutex // held while reloading
	seen sync.Mutex // guards what follows
	last reloaded
}

// reloaded is how the last reload went, and when the configuration that is in force was read.
type reloaded struct {
	err     error
	success time.Time
}

// newReloader begins with a configuration in force: an exporter that could not read any has not come this far.
func newReloader(read func(context.Context) ([]TargetConfig, error), f fleet, log *slog.Logger, now func() time.Time) *reloader {
	return &reloader{read: read, fleet: f, log: log, now: now, last: reloaded{success: now()}}
}

// reload loads a new configuration, for requests and signals alike. It continues even if the request is cancelled.
func (r *reloader) reload(ctx context.Context) error {
	if r.read == nil {
		return errNothingToReload
	}
	r.one.Lock()
	defer r.one.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reloadLimit)
	defer cancel()
	targets, err := r.read(ctx)
	if err == nil {
		err = r.fleet.configure(targets)
	}
	r.seen.Lock()
	r.last.err = err
	if err == nil {
		r.last.success = r.now()
	}
	r.seen.Unlock()
	if err != nil {
		r.log.Error("the new configuration is not used, the old one stays in force", "err", err)
		return err
	}
	r.log.Info("the configuration was reloaded", "targets", len(targets))
	return nil
}

func (r *reloader) state() reloaded {
	r.seen.Lock()
	defer r.seen.Unlock()
	return r.last
}

// follow reloads whenever it is asked to, until ctx ends. Errors are in the log and in the metrics.
func (r *reloader) follow(ctx context.Context, hangup <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-hangup:
			if !open {
				return
			}
			if err := r.reload(ctx); errors.Is(err, errNothingToReload) {
				r.log.Warn("there is no configuration to reload")
			}
		}
	}
}
