package rounds

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
)

// patience is for how many rounds a batch waits for hosts that do not answer, since its columns are fixed by the first.
const patience = 3

// WriteBatch writes esxtop's batch CSV, a row a round.
func WriteBatch(ctx context.Context, streams *iostreams.IO, source esxtop.Source, samples int, options batch.Options) error {
	w := batch.NewWriter(streams.Out, options)
	r := New(source, streams, samples)
	defer func() {
		for _, line := range w.Report() {
			fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(line))
		}
	}()
	for waited := 0; ; {
		round, err := r.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if len(round.Troubles) > 0 && waited < patience {
			if waited++; r.remaining >= 0 {
				r.remaining++
			}
			continue
		}
		waited = patience
		if err := w.Write(round); err != nil {
			return err
		}
	}
}
