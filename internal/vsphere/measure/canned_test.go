package measure

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Benchmarks measure the cost of the client alone, so the server is another process with prepared answers.
const (
	cannedEnv      = "VPERF_TEST_CANNED_SERVER" // numbers of hosts and VMs, such as "64 8000"
	cannedCounters = 24
	cannedHead     = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<soapenv:Envelope xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" ` +
		`xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ` +
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n<soapenv:Body>\n"
	cannedFoot = "\n</soapenv:Body>\n</soapenv:Envelope>\n"
)

var cannedStart = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// cannedRequest requests the objects hosts and groups: 24 counters of a VM, and all counters of a host.
var cannedRequest = esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Group)}

// cannedPerf returns the server's counters.
func cannedPerf() perfCounters {
	all := perfCounters{}
	for _, o := range []esxtop.Object{esxtop.Host, esxtop.Group} {
		for _, m := range esxtop.MetricsOf(o) {
			for _, from := range m.Perf {
				id, there := everyCounter()[from.Counter]
				if !fills(from, o) || there && o == esxtop.Group && newPerfPlan(esxtop.ObjectsOf(o), nil, all).vm.series >= cannedCounters {
					continue
				}
				all[from.Counter] = id
			}
		}
	}
	return all
}

// canned holds the answers of a server.
type canned struct {
	samples map[string][2]string // by host or VM: the parts before and after the time
	objects string               // properties, as an answer to a retrieval
	updates string               // the same as updates
}

func newCanned(hosts, vms int) *canned {
	c := &canned{samples: map[string][2]string{}}
	plan := newPerfPlan(cannedRequest.Objects, nil, cannedPerf())
	var objects, updates strings.Builder
	notify := func(kind, moid string, values ...string) {
		fmt.Fprintf(&objects, `<objects><obj type="%s">%s</obj>`, kind, moid)
		fmt.Fprintf(&updates, `<objectSet><kind>enter</kind><obj type="%s">%s</obj>`, kind, moid)
		for i := 0; i < len(values); i += 2 {
			fmt.Fprintf(&objects, `<propSet><name>%s</name>%s</propSet>`, values[i], values[i+1])
			fmt.Fprintf(&updates, `<changeSet><name>%s</name><op>assign</op>%s</changeSet>`, values[i], values[i+1])
		}
		objects.WriteString("</objects>\n")
		updates.WriteString("</objectSet>\n")
	}
	text := func(s string) string { return `<val xsi:type="xsd:string">` + s + `</val>` }
	of := func(kind, moid string) string {
		return `<val type="` + kind + `" xsi:type="ManagedObjectReference">` + moid + `</val>`
	}
	number := func(n int) string { return `<val xsi:type="xsd:int">` + strconv.Itoa(n) + `</val>` }
	notify("Folder", "group-d1", "name", text("Datacenters"))
	notify("Folder", "group-h1", "name", text("host"), "parent", of("Folder", "group-d1"))
	notify("ComputeResource", "domain-c1", "name", text("cluster"), "parent", of("Folder", "group-h1"))
	for h := range hosts {
		moid := fmt.Sprintf("host-%d", 100+h)
		notify(property.TypeHost, moid, "name", text(fmt.Sprintf("esx%03d.example.com", h)), "parent", of("ComputeResource", "domain-c1"),
			tree.PathConnection, `<val xsi:type="HostSystemConnectionState">connected</val>`, tree.PathPower, `<val xsi:type="HostSystemPowerState">poweredOn</val>`)
		c.samples[moid] = cannedSamples(property.TypeHost, moid, plan.host.metrics)
	}
	for v := range vms {
		moid := fmt.Sprintf("vm-%d", 1000+v)
		notify(property.TypeVM, moid, "name", text(fmt.Sprintf("web-%04d", v)), tree.PathVMHost, of(property.TypeHost, fmt.Sprintf("host-%d", 100+v%hosts)),
			tree.PathPower, `<val xsi:type="VirtualMachinePowerState">poweredOn</val>`, pathVCPUs, number(4))
		c.samples[moid] = cannedSamples(property.TypeVM, moid, plan.vm.metrics)
	}
	c.objects = `<RetrievePropertiesResponse xmlns="urn:vim25">` + strings.NewReplacer("<objects>", "<returnval>", "</objects>", "</returnval>").Replace(objects.String()) + `</RetrievePropertiesResponse>`
	c.updates = `<WaitForUpdatesExResponse xmlns="urn:vim25"><returnval><version>1</version><filterSet><filter type="PropertyFilter">f-1</filter>` +
		updates.String() + `</filterSet></returnval></WaitForUpdatesExResponse>`
	return c
}

// cannedSamples returns one value of each counter.
func cannedSamples(kind, moid, metrics string) (parts [2]string) {
	parts[0] = fmt.Sprintf(`<returnval xsi:type="PerfEntityMetricCSV"><entity type="%s">%s</entity><sampleInfoCSV>20,`, kind, moid)
	var b strings.Builder
	b.WriteString(`</sampleInfoCSV>`)
	for i, m := range perfMetrics(metrics) {
		v := (int64(i) + 1) * 7919 * int64(len(moid)+int(moid[len(moid)-1])) % 40_000
		fmt.Fprintf(&b, `<value><id><counterId>%s</counterId><instance></instance></id><value>%d</value></value>`, m[0], v)
	}
	b.WriteString("</returnval>\n")
	parts[1] = b.String()
	return parts
}

// ServeHTTP implements http.Handler.
func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, inner, _ := bytes.Cut(body, []byte("Body>"))
	method, _, _ := bytes.Cut(inner[1:], []byte(" "))
	var b bytes.Buffer
	b.WriteString(cannedHead)
	switch string(method) {
	case "QueryPerf":
		c.perf(&b, body)
	case "RetrieveProperties":
		b.WriteString(c.objects)
	case "WaitForUpdatesEx":
		if bytes.Contains(body, []byte("<version>")) {
			b.WriteString(`<WaitForUpdatesExResponse xmlns="urn:vim25"></WaitForUpdatesExResponse>`)
		} else {
			b.WriteString(c.updates)
		}
	case "RetrievePropertiesEx":
		b.WriteString(`<RetrievePropertiesExResponse xmlns="urn:vim25"></RetrievePropertiesExResponse>`)
	case "CreateContainerView":
		b.WriteString(`<CreateContainerViewResponse xmlns="urn:vim25"><returnval type="ContainerView">v-1</returnval></CreateContainerViewResponse>`)
	case "CreatePropertyCollector":
		b.WriteString(`<CreatePropertyCollectorResponse xmlns="urn:vim25"><returnval type="PropertyCollector">c-1</returnval></CreatePropertyCollectorResponse>`)
	case "CreateFilter":
		b.WriteString(`<CreateFilterResponse xmlns="urn:vim25"><returnval type="PropertyFilter">f-1</returnval></CreateFilterResponse>`)
	default:
		fmt.Fprintf(&b, `<%sResponse xmlns="urn:vim25"></%sResponse>`, method, method)
	}
	b.WriteString(cannedFoot)
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = w.Write(b.Bytes())
}

// perf answers with the sample after the requested start time.
func (c *canned) perf(b *bytes.Buffer, body []byte) {
	b.WriteString(`<QueryPerfResponse xmlns="urn:vim25">`)
	for _, spec := range bytes.Split(body, []byte("<querySpec>"))[1:] {
		_, rest, _ := bytes.Cut(spec, []byte(">"))
		moid, rest, _ := bytes.Cut(rest, []byte("</entity>"))
		at := cannedStart
		if after, ok := bytes.CutPrefix(rest, []byte("<startTime>")); ok {
			start, _, _ := bytes.Cut(after, []byte("<"))
			asked, _ := time.Parse(time.RFC3339Nano, string(start))
			at = asked.Add(perfInterval)
		}
		parts := c.samples[string(moid)]
		b.WriteString(parts[0])
		b.WriteString(at.UTC().Format(time.RFC3339))
		b.WriteString(parts[1])
	}
	b.WriteString(`</QueryPerfResponse>`)
}

// TestCallsOfAnInterval: an interval takes one call for changes, and one for each 256 hosts and VMs.
func TestCallsOfAnInterval(t *testing.T) {
	const hosts, vms = 8, 1000
	server := httptest.NewServer(newCanned(hosts, vms))
	defer server.Close()
	s := cannedSession(t, server.Listener.Addr().String())
	roster, err := WatchRoster(t.Context(), s)
	require.NoError(t, err)
	clock := &perfClock{time: cannedStart.Add(time.Second)}
	p := newPerformance(roster, roster.Hosts(), PerformanceOptions{Request: cannedRequest, EverySample: true, Clock: Clock{clock.now, clock.after}})
	p.counters, p.jitter, p.rostered = cannedPerf(), func(time.Duration) time.Duration { return 0 }, clock.now()
	b := books{}
	b.take(t, nextRound(t, p))
	const intervals = 3
	calls := vspheretest.CallsOf(s, func() {
		for range intervals {
			b.take(t, nextRound(t, p))
		}
	})
	require.LessOrEqual(t, vspheretest.Sum(calls), intervals*(3+(hosts+vms+255)/256), "%v", calls)
	require.Len(t, b, hosts+vms)
	for moid := range b {
		b.requireEach(t, moid, cannedStart, cannedStart.Add(intervals*perfInterval))
	}
}

// TestCannedServer is the server process. It ends when its standard input is closed.
func TestCannedServer(t *testing.T) {
	var hosts, vms int
	if _, err := fmt.Sscan(os.Getenv(cannedEnv), &hosts, &vms); err != nil {
		t.Skip("it serves benchmarks, which start it themselves")
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: newCanned(hosts, vms), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	fmt.Println("serving " + listener.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin)
	require.NoError(t, server.Close())
}

// startCanned starts the server process.
func startCanned(tb testing.TB, hosts, vms int) (address string) {
	tb.Helper()
	child := exec.CommandContext(tb.Context(), os.Args[0], "-test.run=^TestCannedServer$")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", cannedEnv, hosts, vms))
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	require.NoError(tb, err)
	out, err := child.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, child.Start())
	tb.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = child.Wait()
	})
	var word string
	for word != "serving" {
		_, err = fmt.Fscan(out, &word)
		require.NoError(tb, err)
	}
	_, err = fmt.Fscan(out, &address)
	require.NoError(tb, err)
	return address
}

// cannedSession opens a session with the server process, over HTTP.
func cannedSession(tb testing.TB, address string) *session.Session {
	tb.Helper()
	e := session.Endpoint{URL: &url.URL{Scheme: "http", Host: address, Path: vim25.Path}, CallTimeout: time.Minute, Insecure: true}
	client := soap.NewClient(e.URL, true)
	client.Namespace, client.Version = "urn:"+vim25.Namespace, vim25.Version
	tb.Cleanup(client.CloseIdleConnections)
	return session.OverTransport(e, soapwire.NewClient(client), cannedContent())
}

func cannedContent() types.ServiceContent {
	return types.ServiceContent{
		About:             types.AboutInfo{ApiType: "VirtualCenter"},
		RootFolder:        ref{Type: "Folder", Value: "group-d1"},
		PropertyCollector: ref{Type: "PropertyCollector", Value: "propertyCollector"},
		ViewManager:       &ref{Type: "ViewManager", Value: "ViewManager"},
		PerfManager:       &ref{Type: "PerformanceManager", Value: "PerfMgr"},
	}
}
