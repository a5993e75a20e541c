package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/push"
)

func (o *exporterOptions) addPushFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Push.RemoteWrite.URL, "remote-write", "", "push the series to this `URL` by Prometheus remote write")
	f.StringVar(&o.Push.RemoteWrite.ConfigFile, "remote-write.config.file", "", "credentials and TLS of --remote-write: a `FILE` in Prometheus's format http_config")
	f.StringVar(&o.Push.OTLP.URL, "otlp", "", "push the series to this `URL` by OpenTelemetry's protocol (OTLP over HTTP)")
	f.StringVar(&o.Push.OTLP.ConfigFile, "otlp.config.file", "", "credentials and TLS of --otlp: a `FILE` in Prometheus's format http_config")
	f.DurationVar(&o.Push.Interval, "push.interval", push.DefaultInterval, "push each series once per `DURATION`, from 20s to 5m")
	f.IntVar(&o.Push.BufferMiB, "push.buffer", push.DefaultBufferMiB, "keep up to this many `MIB` of samples in memory while a receiver does not answer")
	f.StringArrayVar(&o.Push.Labels, "push.label", nil, "add the label `NAME=VALUE` to each pushed series; may be repeated")
}

// pusher is the pusher of the exporter; nil: nothing is pushed.
type pusher struct{ *push.Pusher }

func (o *exporterOptions) pusher(log *slog.Logger) (pusher, error) {
	if !o.Push.Enabled() {
		return pusher{}, nil
	}
	options := o.Push
	options.Log, options.Version = log, thisVersion().Version
	p, err := push.New(options)
	return pusher{p}, err
}

// pages returns what takes the pages of the exporter; nil: nothing does.
func (p pusher) pages() exporter.Pusher {
	if p.Pusher == nil {
		return nil
	}
	return p.Pusher
}

// during pushes while do runs, and then what is left.
func (p pusher) during(ctx context.Context, do func(context.Context) error) error {
	if p.Pusher == nil {
		return do(ctx)
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(sending)
	}()
	err := do(ctx)
	stop()
	<-ended
	return err
}
