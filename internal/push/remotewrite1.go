package push

import (
	"math"

	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of prometheus.WriteRequest, the message of remote write 1.0, and of the messages in it. The library has
// no type for it.
const (
	v1Timeseries = 1 // of WriteRequest
	v1Labels     = 1 // of TimeSeries
	v1Samples    = 2
	v1Name       = 1 // of Label
	v1Text       = 2
	v1Value      = 1 // of Sample
	v1Timestamp  = 2
)

// asV1 converts a marshalled request of remote write 2.0 to 1.0, which has no start times. Its metadata is optional.
func asV1(plain []byte) ([]byte, error) {
	var from writev2.Request
	if err := from.UnmarshalVT(plain); err != nil {
		return nil, err
	}
	out := make([]byte, 0, 2*len(plain))
	var one, part []byte
	for _, t := range from.Timeseries {
		one = one[:0]
		for i := 0; i+1 < len(t.LabelsRefs); i += 2 {
			part = appendText(part[:0], v1Name, from.Symbols[t.LabelsRefs[i]])
			part = appendText(part, v1Text, from.Symbols[t.LabelsRefs[i+1]])
			one = appendMessage(one, v1Labels, part)
		}
		for _, s := range t.Samples {
			part = protowire.AppendFixed64(protowire.AppendTag(part[:0], v1Value, protowire.Fixed64Type), math.Float64bits(s.Value))
			part = protowire.AppendVarint(protowire.AppendTag(part, v1Timestamp, protowire.VarintType), uint64(s.Timestamp)) //nolint:gosec // int64 of protobuf
			one = appendMessage(one, v1Samples, part)
		}
		out = appendMessage(out, v1Timeseries, one)
	}
	return out, nil
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}
