package measure

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// esxtopDecoder makes frames of what one host says, by the host's schema. It remembers the sample before.
type esxtopDecoder struct {
	host    RosterHost
	schema  *esxtop.Schema
	deriver esxtop.Deriver
	clock   time.Duration // of the sample before
}

func newDecoder(info string, host RosterHost) (*esxtopDecoder, error) {
	schema, err := esxtop.ParseSchema(info)
	if schema == nil {
		return nil, err
	}
	return &esxtopDecoder{host: host, schema: schema}, nil
}

// reading is what a text says.
type reading struct {
	frame *esxtop.Frame
	least time.Duration // between two fetches, as the host has it; 0: it does not tell
	reset bool          // the host's clock went back: it has restarted
	doubt error         // what in the text could not be read; all else was
}

// decode fails where the text is none of the service's. One with something wrong in it still tells the rest.
func (d *esxtopDecoder) decode(text string, objects esxtop.Objects) (*reading, error) {
	sample, err := d.schema.Parse(text, objects)
	if sample == nil {
		return nil, err
	}
	sample.Host, sample.MoID = d.host.Name, d.host.MoID
	r := &reading{reset: sample.Clock < d.clock, least: leastInterval(sample), doubt: err}
	d.clock = sample.Clock
	r.frame = d.deriver.Frame(sample, objects)
	return r, nil
}

// leastInterval is what the host says of how often it takes a new look.
func leastInterval(s *esxtop.Sample) time.Duration {
	server := s.Block("Server")
	if server == nil || server.Len() == 0 {
		return 0
	}
	micros, known := server.Number(0, server.Group.Field("MinFetchIntervalInUsec"))
	if !known || micros > uint64(time.Minute/time.Microsecond) {
		return 0
	}
	return time.Duration(micros) * time.Microsecond
}
