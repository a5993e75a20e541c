package wire

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

const (
	perfCSV = `<returnval xsi:type="PerfEntityMetricCSV"><entity type="VirtualMachine">vm-1</entity>` +
		`<sampleInfoCSV>20,2026-11-20T10:00:00Z,20,2026-11-20T10:00:20Z</sampleInfoCSV>` +
		`<value><id><counterId>6</counterId><instance></instance></id><value>0,5</value></value>` +
		`<value><id><counterId>12</counterId><instance>a &amp; &lt;b&gt;</instance></id><value></value></value></returnval>`
	perfList = `<returnval xsi:type="PerfEntityMetric"><entity type="HostSystem">host-1</entity>` +
		`<sampleInfo><timestamp>2026-11-20T10:00:00Z</timestamp><interval>20</interval></sampleInfo>` +
		`<value xsi:type="PerfMetricIntSeries"><id><counterId>2</counterId><instance>vmnic0</instance></id><value>7</value></value></returnval>`
)

func perfAnswer(values ...string) string {
	return head + `<QueryPerfResponse xmlns="urn:vim25">` + strings.Join(values, "") + `</QueryPerfResponse>` + foot
}

// TestSamplesDecodedAsGovmomiDoes compares answers, and what becomes of faults and of answers that are cut off.
func TestSamplesDecodedAsGovmomiDoes(t *testing.T) {
	whole := perfAnswer(perfCSV, perfList)
	for name, answer := range map[string]string{
		"both forms": whole,
		"nothing":    perfAnswer(),
		"cut off":    whole[:len(whole)/2],
		"fault": head + `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>no</faultstring><detail><InvalidArgumentFault xmlns="urn:vim25" ` +
			`xsi:type="InvalidArgument"><invalidProperty>querySpec.size</invalidProperty></InvalidArgumentFault></detail></soapenv:Fault>` + foot,
		"another one": props(),
	} {
		t.Run(name, func(t *testing.T) {
			theirs, ours := new(methods.QueryPerfBody), new(QueryPerfBody)
			d := xml.NewDecoder(strings.NewReader(answer))
			d.TypeFunc = types.TypeFunc()
			want := d.Decode(&soap.Envelope{Body: theirs})
			if want == nil && theirs.Fault() != nil {
				want = soap.WrapSoapFault(theirs.Fault())
			}
			got := newReader().read(strings.NewReader(answer), 0, ours)
			require.Equal(t, want == nil, got == nil, "%v, %v", want, got)
			if want != nil {
				require.Equal(t, want.Error(), got.Error())
			}
			require.Equal(t, theirs.Res, ours.Res)
			require.Equal(t, theirs.Fault(), ours.Fault())
		})
	}
	require.NoError(t, Page([]byte(whole), new(QueryPerfBody)), "govmomi's decoder is not needed")
}

// TestRequestAsGovmomiWritesIt: text that says the same.
func TestRequestAsGovmomiWritesIt(t *testing.T) {
	start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	theirs := &methods.QueryPerfBody{Req: &types.QueryPerf{
		This: types.ManagedObjectReference{Type: "PerformanceManager", Value: "PerfMgr"},
		QuerySpec: []types.PerfQuerySpec{{
			Entity: types.ManagedObjectReference{Type: "VirtualMachine", Value: "vm-1"}, StartTime: &start,
			MetricId: []types.PerfMetricId{{CounterId: 6, Instance: "*"}}, IntervalId: 20, Format: "csv",
		}},
	}}
	ours := &QueryPerfBody{Req: &QueryPerf{Text: []string{
		`<_this type="PerformanceManager">PerfMgr</_this>`, `<querySpec><entity type="VirtualMachine">vm-1</entity>`, `<startTime>2026-11-20T10:00:00Z</startTime>`,
		`<metricId><counterId>6</counterId><instance>*</instance></metricId>`, "", `<intervalId>20</intervalId><format>csv</format></querySpec>`,
	}}}
	want, err := xml.Marshal(soap.Envelope{Body: theirs})
	require.NoError(t, err)
	text, size, err := envelope(ours)
	require.NoError(t, err)
	got, err := io.ReadAll(iotest.OneByteReader(text))
	require.NoError(t, err)
	require.Equal(t, xml.Header+string(want), string(got))
	require.Equal(t, int64(len(got)), size)
}

func FuzzSamples(f *testing.F) {
	f.Add([]byte(perfAnswer(perfCSV, perfList)))
	f.Add([]byte(perfAnswer(perfCSV)))
	f.Fuzz(func(t *testing.T, answer []byte) {
		here := new(QueryPerfBody)
		if Page(answer, here) != nil {
			return
		}
		there := new(QueryPerfBody)
		require.NoError(t, plainly(bytes.NewReader(answer), there))
		require.Equal(t, there, here)
	})
}
