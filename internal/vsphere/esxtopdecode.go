package vsphere

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// esxtopDecoder reads the text of one host by the host's schema.
type esxtopDecoder struct {
	host    RosterHost
	schema  *esxtop.Schema
	deriver esxtop.Deriver
	clock   time.Duration // of the sample before
}

func newDecoder(info string, host RosterHost) (decoder, error) {
	schema, err := esxtop.ParseSchema(info)
	if schema == nil {
		return nil, err
	}
	return &esxtopDecoder{host: host, schema: schema}, nil
}

// decode implements decoder. A text with something wrong in it still tells the rest.
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
