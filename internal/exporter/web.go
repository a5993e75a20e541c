package exporter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
)

// serve listens until ctx ends or one of the addresses fails. Each address has a server of its own: the toolkit wraps the
// handler of the one it is given, and several addresses at once would wrap each other's.
func (s *server) serve(ctx context.Context) error {
	if err := s.Check(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// Scrapes that have begun outlive ctx: they end when they are done, or when we stop waiting for them.
	requests, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()

	handler := s.handler()
	var all []*http.Server
	var listeners sync.WaitGroup
	failed := make(chan error, 1)
	for _, flags := range s.flags() {
		h := s.newHTTP(requests, handler)
		all = append(all, h)
		listeners.Go(func() {
			if err := web.ListenAndServe(h, &flags, s.Log); !errors.Is(err, http.ErrServerClosed) {
				select {
				case failed <- cannotServe(err, flags):
				default: // the first to fail is told of
				}
				stop()
			}
		})
	}
	go s.reloads.follow(ctx, s.Hangup)
	<-ctx.Done()
	s.shutdown(all)
	abandon()
	listeners.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// Check finds what is wrong with the options before anything is started or asked.
func (o *ServerOptions) Check() error {
	if err := checkPaths(*o); err != nil {
		return err
	}
	if o.TimeoutOffset < 0 {
		return fmt.Errorf("the timeout offset %s is below 0: an answer after Prometheus gave up is no use", o.TimeoutOffset)
	}
	for _, address := range o.Listen {
		if strings.Contains(address, "://") { // such as vsock://, which the toolkit knows
			continue
		}
		_, port, err := net.SplitHostPort(address)
		if err == nil {
			_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port) // a list in a file, no server is asked
		}
		if err != nil {
			return fmt.Errorf("cannot listen at %q: write HOST:PORT, or %s for all addresses of this machine", address, DefaultListen)
		}
	}
	if o.ConfigFile == "" {
		return nil
	}
	if err := web.Validate(o.ConfigFile); err != nil {
		return fmt.Errorf("reading the web configuration %s: %w", o.ConfigFile, err)
	}
	return nil
}

// flags are what the toolkit is told, an address at a time.
func (s *server) flags() []web.FlagConfig {
	systemd, config := s.Systemd, s.ConfigFile
	if systemd {
		return []web.FlagConfig{{WebSystemdSocket: &systemd, WebConfigFile: &config}}
	}
	listen := s.Listen
	if len(listen) == 0 {
		listen = []string{DefaultListen}
	}
	var all []web.FlagConfig
	for _, address := range listen {
		all = append(all, web.FlagConfig{WebListenAddresses: &[]string{address}, WebSystemdSocket: &systemd, WebConfigFile: &config})
	}
	return all
}

func (s *server) newHTTP(requests context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readLimit,
		ReadTimeout:       readLimit,
		WriteTimeout:      maxTimeout + s.writeLimit, // a probe sets a closer one when its page is there
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), // what strangers send is no news
		BaseContext: func(l net.Listener) context.Context {
			if s.Listening != nil {
				s.Listening(l.Addr())
			}
			return requests
		},
	}
}

// shutdown ends listening, lets scrapes finish for a while, and then ends those, too.
func (s *server) shutdown(all []*http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), s.shutdownLimit)
	defer cancel()
	var ends sync.WaitGroup
	for _, h := range all {
		ends.Go(func() {
			if err := h.Shutdown(ctx); err != nil {
				s.Log.Warn("scrapes were cut off", "after", s.shutdownLimit.String())
				_ = h.Close() // Shutdown has said already what was wrong
			}
		})
	}
	ends.Wait()
}

// cannotServe says what to do about an address that cannot be had.
func cannotServe(err error, flags web.FlagConfig) error {
	if flags.WebListenAddresses == nil {
		return fmt.Errorf("serving on the sockets of systemd: %w", err)
	}
	address := (*flags.WebListenAddresses)[0]
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s already: choose another address with --web.listen-address: %w", address, err)
	}
	return fmt.Errorf("serving on %s: %w", address, err)
}

// writeBefore is until when the answer that begins now has to be read.
func (s *server) writeBefore() time.Time { return time.Now().Add(s.writeLimit) }
