package wire

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"

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

// TestSamplesDecodedAsGovmomiDoes compares answers, including faults and truncated answers.
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
				require.Equal(t, want.Error(), decoders(got).Error())
			}
			require.Equal(t, theirs.Res, ours.Res)
			require.Equal(t, theirs.Fault(), ours.Fault())
		})
	}
	require.NoError(t, Page([]byte(whole), new(QueryPerfBody)), "govmomi's decoder is not needed")
}

// TestGeneratedSamples: answers of many forms, most of them as servers write them.
func TestGeneratedSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	here := 0
	for range 400 {
		answer := perfAnswer(generatedSamples(r)...)
		there := new(methods.QueryPerfBody)
		d := xml.NewDecoder(strings.NewReader(answer))
		d.TypeFunc = types.TypeFunc()
		want := d.Decode(&soap.Envelope{Body: there})
		ours := new(QueryPerfBody)
		got := newReader().read(strings.NewReader(answer), 0, ours)
		if want != nil && got == nil { // only the damaged series are missing
			require.Less(t, strings.Count(answer, "<counterId>x<")+strings.Count(answer, "<counterId>99999999999<"), 5)
			continue
		}
		require.Equal(t, want == nil, got == nil, answer)
		if want != nil {
			continue
		}
		require.Equal(t, there.Res, ours.Res, answer)
		if Page([]byte(answer), new(QueryPerfBody)) == nil {
			here++
		}
	}
	require.Greater(t, here, 300, "most are decoded here")
}

// generatedSamples returns samples of some hosts and VMs.
func generatedSamples(r *rand.Rand) (list []string) {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	rare := func(usual string, of ...string) string {
		if r.IntN(200) > 0 {
			return usual
		}
		return one(of...)
	}
	for range r.IntN(5) {
		var b strings.Builder
		b.WriteString(`<returnval xsi:type="` + rare("PerfEntityMetricCSV", "PerfEntityMetric", "PerfEntityMetricBase", "Nobody") + `">` + rare("", "\n ", "<!-- -->", "<other>1</other>"))
		b.WriteString(`<entity type="VirtualMachine"` + rare("", ` serverGuid="x"`, ` xsi:type="ManagedObjectReference"`) + `>vm-` + one("1", "22", "a&amp;b") + `</entity>`)
		b.WriteString(rare(`<sampleInfoCSV>20,2026-11-20T10:00:00Z</sampleInfoCSV>`, `<sampleInfoCSV/>`, ``, `<sampleInfoCSV>`+strings.Repeat("20,2026-11-20T10:00:00Z,", 9)+`</sampleInfoCSV>`))
		for range r.IntN(60) {
			id := `<counterId>` + rare(one("1", "65541", "700"), "x", "-7", "", "99999999999") + `</counterId>` + rare(one(`<instance></instance>`, `<instance/>`, `<instance>vmnic0</instance>`, `<instance>4000</instance>`),
				`<instance>&lt;é&gt;</instance>`, ``, `<instance>a]]b</instance>`, `<counterId>5</counterId>`)
			values := rare(one("0", "1", "-1", "123456,7", strings.Repeat("55,", 60)), "", "&#49;", "<b>1</b>", strings.Repeat("123456789,", 600))
			b.WriteString(`<value` + rare("", ` xsi:type="PerfMetricSeriesCSV"`, " ") + `><id>` + id + `</id>` + rare("", "\n", "<more/>") + `<value>` + values + `</value></value>` + rare("", "\n"))
		}
		list = append(list, b.String()+`</returnval>`)
	}
	return list
}

// TestTextsOfSamplesAreTheirOwn: the next answer is read into the same memory.
func TestTextsOfSamplesAreTheirOwn(t *testing.T) {
	answer := []byte(perfAnswer(perfCSV, perfCSV))
	body := new(QueryPerfBody)
	require.NoError(t, Page(answer, body))
	for i := range answer {
		answer[i] = 'x'
	}
	m := body.Res.Returnval[1].(*types.PerfEntityMetricCSV)
	require.Equal(t, []string{"vm-1", "0,5", "a & <b>"}, []string{m.Entity.Value, m.Value[0].Value, m.Value[1].Id.Instance})
}

// TestRequestAsGovmomiWritesIt: the text has the same content as govmomi's request.
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
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		f.Add([]byte(perfAnswer(generatedSamples(r)...)))
	}
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

// TestTextsOfSamplesStay: those of earlier answers to the same reader, also when pieces of memory are full.
func TestTextsOfSamplesStay(t *testing.T) {
	r := newReader()
	var kept []*QueryPerfBody
	text := func(n int) string { return strings.Repeat(strconv.Itoa(n%10), 1+n*997%7000) + strconv.Itoa(n) }
	for n := range 60 {
		body := new(QueryPerfBody)
		answer := strings.ReplaceAll(perfAnswer(perfCSV), "<value>0,5</value>", "<value>"+text(n)+"</value>")
		require.NoError(t, r.read(strings.NewReader(answer), 0, body))
		kept = append(kept, body)
	}
	for n, body := range kept {
		require.Equal(t, text(n), body.Res.Returnval[0].(*types.PerfEntityMetricCSV).Value[0].Value)
	}
	huge := strings.Repeat("7", 3*pieceOfArena)
	body := new(QueryPerfBody)
	require.NoError(t, r.read(strings.NewReader(strings.ReplaceAll(perfAnswer(perfCSV), "<value>0,5</value>", "<value>"+huge+"</value>")), 0, body))
	require.Equal(t, huge, body.Res.Returnval[0].(*types.PerfEntityMetricCSV).Value[0].Value)
}

// TestMemoryOfSamples: an answer takes the structs that hold it, and little more.
func TestMemoryOfSamples(t *testing.T) {
	const vms, counters = 200, 50
	var b strings.Builder
	for vm := range vms {
		b.WriteString(`<returnval xsi:type="PerfEntityMetricCSV"><entity type="VirtualMachine">vm-` + strconv.Itoa(vm) + `</entity><sampleInfoCSV>20,2026-11-20T10:00:00Z</sampleInfoCSV>`)
		for c := range counters {
			b.WriteString(`<value><id><counterId>` + strconv.Itoa(c) + `</counterId><instance></instance></id><value>` + strconv.Itoa(vm*c) + `</value></value>`)
		}
		b.WriteString(`</returnval>`)
	}
	answer := perfAnswer(b.String())
	r := newReader()
	costOf := func(room *Room) (bytes, objects float64) {
		read := func() {
			require.NoError(t, r.read(strings.NewReader(answer), int64(len(answer)), &QueryPerfBody{Room: room}))
			if room != nil {
				room.Reset()
			}
		}
		read()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read()
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / (vms * counters), float64(after.Mallocs-before.Mallocs) / (vms * counters)
	}
	bytes, objects := costOf(nil)
	require.Less(t, bytes, 64.0, "bytes for a value; the struct has %d", unsafe.Sizeof(types.PerfMetricSeriesCSV{}))
	require.Less(t, objects, 0.2, "allocations for a value")
	bytes, _ = costOf(new(Room))
	require.Less(t, bytes, 24.0, "bytes for a value in a room that was used before")
}

// TestRoomForOneAnswerAfterTheOther: what an answer needed is free for the next, and nothing of it remains.
func TestRoomForOneAnswerAfterTheOther(t *testing.T) {
	var room Room
	var first *types.PerfMetricSeriesCSV
	for range 3 {
		for vm, n := range []int{1, 24, 24, 0, 2 * seriesOfRoom, 5} {
			list := room.take()
			require.Empty(t, list)
			for c := range n {
				list = append(list, types.PerfMetricSeriesCSV{Value: strconv.Itoa(1000*vm + c)})
			}
			if list = room.trimmed(list); vm == 0 && first == nil {
				first = &list[0]
			} else if vm == 0 {
				require.Same(t, first, &list[0], "the same memory")
			}
			require.Len(t, list, n)
			for c := range list {
				require.Equal(t, strconv.Itoa(1000*vm+c), list[c].Value)
			}
		}
		room.Reset()
		require.Empty(t, first.Value)
	}
}

// TestSeriesOfEntitiesShareMemory: entities have different numbers of series, and none has one of another entity.
func TestSeriesOfEntitiesShareMemory(t *testing.T) {
	counts := []int{1, 60, 0, 3, 24, 24, 24, seriesOfRoom + 1, 2, 3 * seriesOfRoom, 24}
	var b strings.Builder
	for vm, n := range counts {
		b.WriteString(`<returnval xsi:type="PerfEntityMetricCSV"><entity type="VirtualMachine">vm-` + strconv.Itoa(vm) + `</entity><sampleInfoCSV>20,2026-11-20T10:00:00Z</sampleInfoCSV>`)
		for c := range n {
			b.WriteString(`<value><id><counterId>` + strconv.Itoa(c) + `</counterId><instance></instance></id><value>` + strconv.Itoa(10_000*vm+c) + `</value></value>`)
		}
		b.WriteString(`</returnval>`)
	}
	r := newReader()
	var answers []*QueryPerfBody
	for range 3 {
		answers = append(answers, new(QueryPerfBody))
		require.NoError(t, r.read(strings.NewReader(perfAnswer(b.String())), 0, answers[len(answers)-1]))
	}
	for _, a := range answers {
		require.Len(t, a.Res.Returnval, len(counts))
		for vm, n := range counts {
			list := a.Res.Returnval[vm].(*types.PerfEntityMetricCSV).Value
			require.Len(t, list, n)
			require.Equal(t, n, cap(list), "an append must not write into the series of the next entity")
			require.Equal(t, n == 0, list == nil)
			for c := range list {
				require.Equal(t, int32(c), list[c].Id.CounterId)
				require.Equal(t, strconv.Itoa(10_000*vm+c), list[c].Value)
			}
		}
	}
}

// TestLargeBuffersAreKeptForLargeSamples: and not for small ones.
func TestLargeBuffersAreKeptForLargeSamples(t *testing.T) {
	c := NewClient(nil)
	r := newReader()
	r.body.Grow(2 * smallKept)
	r.body.Write(make([]byte, smallKept))
	c.keep(r, new(QueryPerfBody))
	require.GreaterOrEqual(t, r.body.Cap(), 2*smallKept, "the next samples are as large")
	r.body.Reset()
	r.body.WriteString("a few samples")
	c.keep(r, new(QueryPerfBody))
	require.Zero(t, r.body.Cap())
}
