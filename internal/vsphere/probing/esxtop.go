package probing

import (
	"context"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/perhost"
)

// readEsxtop reads the schema of the host's Esxtop service and one sample, and lets the host free the data that it keeps for it.
func (h *hostProber) readEsxtop(ctx context.Context) {
	var service ref
	ok := h.calls.call(ctx, "QueryServiceList Esxtop", func(ctx context.Context) error {
		found, offered, err := perhost.FindEsxtop(ctx, h.session, h.target.Name)
		if err == nil && !offered {
			return errNotOffered
		}
		service = found
		return err
	})
	if !ok {
		return
	}
	var info, stats string
	defer h.freeEsxtop(ctx, service)
	h.command(ctx, service, perhost.EsxtopSchema, &info)
	h.command(ctx, service, perhost.EsxtopFetch, &stats)
	rows := probe.SampleRows
	if h.options.AllRows {
		rows = 0
	}
	if info != "" {
		h.out.Esxtop = probe.EsxtopOf(h.redactor, info, stats, rows)
	}
}

func (h *hostProber) command(ctx context.Context, service ref, command string, text *string) {
	ok := h.calls.call(ctx, "ExecuteSimpleCommand Esxtop "+command, func(ctx context.Context) error {
		var err error
		*text, err = perhost.EsxtopCommand(ctx, h.session, service, command)
		return err
	})
	if ok {
		h.calls.size(len(*text))
	}
}

// freeEsxtop works after ctx has ended, too.
func (h *hostProber) freeEsxtop(ctx context.Context, service ref) {
	ctx, cancel := h.session.CleanupContext(ctx)
	defer cancel()
	_, _ = perhost.EsxtopCommand(ctx, h.session, service, perhost.EsxtopFree) // a host that does not answer frees it by itself
}
