package measure

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// esxtopDecoder makes frames from the answers of one host, with the host's schema. It keeps the previous sample.
type esxtopDecoder struct {
	host    RosterHost
	schema  *esxtop.Schema
	deriver esxtop.Deriver
	clock   time.Duration // of the previous sample
}

func newDecoder(info string, host RosterHost) (*esxtopDecoder, error) {
	schema, err := esxtop.ParseSchema(info)
	if schema == nil {
		return nil, err
	}
	return &esxtopDecoder{host: host, schema: schema}, nil
}

// reading is a decoded answer.
type reading struct {
	frame *esxtop.Frame
	least time.Duration // the host's minimum fetch interval; 0: not reported
	reset bool          // the host's clock went back, so it has restarted
	doubt error         // the part of the answer that could not be parsed
}

// decode fails if the text is not an answer of the service. If only a part of it is invalid, the rest is returned.
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

// leastInterval returns the minimum fetch interval that the host reports.
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
