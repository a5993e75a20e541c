package wire

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<soapenv:Envelope xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" ` +
		`xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n" +
		"<soapenv:Body>\n"
	foot = "\n</soapenv:Body>\n</soapenv:Envelope>\n"
	from = `<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval>`
	till = `</returnval></RetrievePropertiesExResponse>`
)

// props returns an answer with these properties of one VM.
func props(properties ...string) string {
	return head + from + `<token>1</token><objects><obj type="VirtualMachine">vm-1</obj>` + strings.Join(properties, "") + `</objects>` + till + foot
}

// val returns a property with a value in XML.
func val(v string) string { return `<propSet><name>config.x</name>` + v + `</propSet>` }

// govmomis decodes an answer with govmomi's own client.
func govmomis(answer io.Reader) (*methods.RetrievePropertiesExBody, error) {
	body := new(methods.RetrievePropertiesExBody)
	d := xml.NewDecoder(answer)
	d.TypeFunc = types.TypeFunc()
	err := d.Decode(&soap.Envelope{Body: body})
	if err == nil && body.Fault() != nil {
		err = soap.WrapSoapFault(body.Fault())
	}
	return body, err
}

// ours decodes it with a Client.
func ours(answer io.Reader) (*methods.RetrievePropertiesExBody, error) {
	body := new(methods.RetrievePropertiesExBody)
	return body, newReader().read(answer, 0, body)
}

// For answers in the usual form and in other valid forms, both decoders return the same result.
func TestDecodedAsGovmomiDoes(t *testing.T) {
	nested := strings.Repeat("<a>", maxDepth) + strings.Repeat("</a>", maxDepth)
	for name, c := range map[string]struct {
		answer string
		here   bool
	}{
		"string":                    {props(val(`<val xsi:type="xsd:string">web-01</val>`)), true},
		"entities":                  {props(val(`<val xsi:type="xsd:string">&lt;a &amp; b&gt; &quot;&apos;&#x41;&#66;&#13;&#xFC;</val>`)), true},
		"umlauts":                   {props(val(`<val xsi:type="xsd:string">größer als 5 €, "quoted" ]] 漢字</val>`)), true},
		"entity in attribute":       {props(`<propSet><name>parent</name><val type="Fol&#100;er" xsi:type='ManagedObjectReference'>group-"v1"</val></propSet>`), true},
		"line breaks":               {props(val("<val xsi:type=\"xsd:string\">a\nb\tc</val>")), true},
		"carriage returns":          {props(val("<val xsi:type=\"xsd:string\">a\r\nb\rc</val>")), false},
		"cdata":                     {props(val(`<val xsi:type="xsd:string">a<![CDATA[<b> & ]] c]]>d</val>`)), false},
		"comment":                   {props(val(`<!-- what --><val xsi:type="xsd:string">a<!-- b -->c</val>`)), false},
		"instruction":               {props(val(`<?what is?><val xsi:type="xsd:string">a</val>`)), false},
		"document type":             {strings.Replace(props(), "?>", "?><!DOCTYPE x>", 1), false},
		"no prolog":                 {strings.TrimPrefix(props(), `<?xml version="1.0" encoding="UTF-8"?>`), true},
		"other encoding":            {strings.Replace(props(), "UTF-8", "ISO-8859-1", 1), false},
		"empty string":              {props(val(`<val xsi:type="xsd:string"/>`), val(`<val xsi:type="xsd:string"></val>`)), true},
		"numbers":                   {props(val(`<val xsi:type="xsd:int">-7</val>`), val(`<val xsi:type="xsd:long">9007199254740993</val>`), val(`<val xsi:type="xsd:short">7</val>`), val(`<val xsi:type="xsd:byte">-1</val>`)), true},
		"more numbers":              {props(val(`<val xsi:type="xsd:double">1.5e3</val>`), val(`<val xsi:type="xsd:float">-0.25</val>`), val(`<val xsi:type="xsd:unsignedByte">-1</val>`), val(`<val xsi:type="xsd:unsignedLong">18446744073709551615</val>`)), true},
		"empty number":              {props(val(`<val xsi:type="xsd:int"/>`), val(`<val xsi:type="xsd:boolean"/>`)), true},
		"number among spaces":       {props(val("<val xsi:type=\"xsd:int\"> 5\n</val>")), false},
		"booleans":                  {props(val(`<val xsi:type="xsd:boolean">true</val>`), val(`<val xsi:type="xsd:boolean">0</val>`)), true},
		"another boolean":           {props(val(`<val xsi:type="xsd:boolean"> T </val>`)), false},
		"dates":                     {props(val(`<val xsi:type="xsd:dateTime">2026-11-20T10:11:12.345678Z</val>`), val(`<val xsi:type="xsd:dateTime">2026-11-20T10:11:12+05:30</val>`)), true},
		"base64":                    {props(val(`<val xsi:type="xsd:base64Binary">AAEC</val>`), val(`<val xsi:type="xsd:base64Binary"/>`)), true},
		"bytes":                     {props(val(`<val xsi:type="ArrayOfByte"><byte>1</byte><byte>-128</byte><byte>255</byte><byte/></val>`)), true},
		"arrays":                    {props(val(`<val xsi:type="ArrayOfInt"><int>1</int><int>2</int></val>`), val(`<val xsi:type="ArrayOfString"><string>a</string><string/></val>`), val(`<val xsi:type="ArrayOfString"/>`)), true},
		"array of anything":         {props(val(`<val xsi:type="ArrayOfAnyType"><anyType xsi:type="xsd:int">1</anyType><anyType xsi:type="Nothing">2</anyType><anyType/></val>`)), true},
		"enumeration":               {props(val(`<val xsi:type="VirtualMachinePowerState">poweredOn</val>`), val(`<val xsi:type="VirtualMachinePowerState">asleep</val>`)), true},
		"nil":                       {props(val(`<val xsi:nil="true"/>`), val(`<val xsi:type="xsd:string" xsi:nil="true"/>`), val(`<val xsi:type="HostNumaInfo" xsi:nil="true"/>`)), true},
		"unknown type":              {props(val(`<val xsi:type="vim.What"><a b="c">d</a>e</val>`)), true},
		"prefixed types":            {props(val(`<val xsi:type="vim25:ManagedObjectReference" type="Folder" serverGuid="g">group-1</val>`), val(`<val xsi:type="xs:int">1</val>`), val(`<val xsi:type="string">1</val>`)), true},
		"prefixed elements":         {strings.NewReplacer("<val", "<ns1:val", "</val", "</ns1:val").Replace(props(val(`<val xsi:type="xsd:int">5</val>`))), true},
		"unknown elements":          {props(`<later><a x="y">b</a> <c/></later>`, val(`<val xsi:type="xsd:int">5</val>`), `<later/>`), true},
		"spaces":                    {strings.ReplaceAll(props(val(`<val  xsi:type = "xsd:int" >5</val>`)), "<propSet>", "\n\t <propSet >\n"), true},
		"spaces in end tags":        {strings.ReplaceAll(props(), "</obj>", "</obj >"), false},
		"reference":                 {props(val(`<val type="HostSystem" xsi:type="ManagedObjectReference">host-1</val>`), val(`<val xsi:type="ArrayOfManagedObjectReference"><ManagedObjectReference type="Network">n</ManagedObjectReference><ManagedObjectReference/></val>`)), true},
		"reference with more":       {props(val(`<val type="HostSystem" xsi:type="ManagedObjectReference">host<a/>-1</val>`)), false},
		"number with more":          {props(val(`<val xsi:type="xsd:int">1<a/>2</val>`)), false},
		"options":                   {props(val(`<val xsi:type="ArrayOfOptionValue"><OptionValue xsi:type="OptionValue"><key>a</key><value xsi:type="xsd:long">5</value></OptionValue><OptionValue><key>b</key></OptionValue><OptionValue xsi:type="What"/></val>`)), true},
		"devices":                   {props(val(`<val xsi:type="ArrayOfVirtualDevice"><VirtualDevice xsi:type="VirtualVmxnet3"><key>4000</key><deviceInfo xsi:type="Description"><label>n</label></deviceInfo><backing xsi:type="VirtualEthernetCardNetworkBackingInfo"><deviceName>VM Network</deviceName><useAutoDetect>false</useAutoDetect></backing><macAddress>00:50:56:00:00:01</macAddress></VirtualDevice></val>`)), true},
		"out of order":              {props(val(`<val xsi:type="HostNumaInfo"><numNodes>2</numNodes><type>NUMA</type><numaNode><memoryRangeLength>5</memoryRangeLength><typeId>1</typeId></numaNode></val>`)), true},
		"twice":                     {props(`<propSet><name>a</name><val xsi:type="HostNumaInfo"><type>x</type><type>y</type></val><name>b</name></propSet>`), true},
		"value twice":               {props(`<propSet><name>a</name><val xsi:type="xsd:int">1</val><val xsi:type="xsd:int">2</val></propSet>`), false},
		"missing":                   {props(`<missingSet><path>config</path><fault><fault xsi:type="NoPermission"><object type="Folder">group-d1</object><privilegeId>System.Read</privilegeId></fault><localizedMessage/></fault></missingSet>`), true},
		"missing, no type":          {props(`<missingSet><path>config</path><fault><fault/><localizedMessage>m</localizedMessage></fault></missingSet>`), true},
		"Go's prefix":               {props(val(`<val xmlns:_XMLSchema-instance="`+instance+`" _XMLSchema-instance:type="HostNumaInfo"><numaNode _XMLSchema-instance:type="x"/></val>`), val(`<val _XMLSchema-instance:type="xsd:int">1</val>`)), false},
		"Go's prefix, in use":       {props(val(`<val xmlns:_XMLSchema-instance="` + instance + `" _XMLSchema-instance:type="ArrayOfOptionValue"><OptionValue _XMLSchema-instance:type="OptionValue"><key>a</key></OptionValue></val>`)), true},
		"two of Go's types":         {props(val(`<val xmlns:_XMLSchema-instance="` + instance + `" _XMLSchema-instance:type="xsd:int" _XMLSchema-instance:type="xsd:string">1</val>`)), true},
		"prefix means else":         {props(val(`<val xmlns:xsi="urn:what" xsi:type="xsd:int">1</val>`)), false},
		"another prefix":            {props(val(`<val xmlns:i="` + instance + `" i:type="xsd:int">1</val>`)), false},
		"two types":                 {props(val(`<val xsi:type="xsd:int" xsi:type="xsd:string">1</val>`)), true},
		"type by name space":        {props(val(`<val xmlns:type="urn:x" xsi:type="ManagedObjectReference">1</val>`)), true},
		"declared twice":            {strings.Replace(props(), "<soapenv:Envelope", `<soapenv:Envelope xmlns:soapenv="urn:x"`, 1), true},
		"declared otherwise":        {strings.Replace(props(), " xmlns:xsd", ` xmlns:soapenv="urn:x" xmlns:xsd`, 1), false},
		"header":                    {strings.Replace(props(), "<soapenv:Body>", "<soapenv:Header><a>b</a></soapenv:Header><soapenv:Body>", 1), true},
		"two bodies":                {strings.Replace(props(), "</soapenv:Envelope>", "<soapenv:Body/></soapenv:Envelope>", 1), false},
		"default name space":        {strings.ReplaceAll(strings.ReplaceAll(props(), "soapenv:", ""), "xmlns:soapenv", "xmlns"), true},
		"another name space":        {strings.Replace(props(), "schemas.xmlsoap.org/soap/envelope", "www.w3.org/2003/05/soap-envelope", 1), false},
		"something after":           {props() + "<html>", true},
		"nothing found":             {head + `<RetrievePropertiesExResponse xmlns="urn:vim25"></RetrievePropertiesExResponse>` + foot, true},
		"nothing at all":            {head + foot, false},
		"fault":                     {head + `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>no</faultstring><detail><NotAuthenticatedFault xmlns="urn:vim25" xsi:type="NotAuthenticated"><object type="Folder">group-d1</object></NotAuthenticatedFault></detail></soapenv:Fault>` + foot, false},
		"deep":                      {props("<later>" + nested + "</later>"), false},
		"wrong end":                 {strings.Replace(props(), "</obj>", "</OBJ>", 1), false},
		"cdata end without a start": {props(val(`<val xsi:type="xsd:string">]]></val>`)), false},
		"HTML":                      {"<html><body>Bad gateway</body></html>", false},
		"empty":                     {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			want, wantErr := govmomis(strings.NewReader(c.answer))
			got, err := ours(strings.NewReader(c.answer))
			sameError(t, wantErr, err)
			require.Equal(t, want, got)
			require.Equal(t, c.here, Page([]byte(c.answer), new(methods.RetrievePropertiesExBody)) == nil, "decoded here")
		})
	}
}

// decoders returns the decoder's error of an answer that is not SOAP.
func decoders(err error) error {
	if a, is := errors.AsType[*AnswerError](err); is && a.Form {
		return a.Err
	}
	return err
}

// sameError compares errors without the line number.
func sameError(t *testing.T, want, got error) {
	t.Helper()
	got = decoders(got)
	var a, b *xml.SyntaxError
	if errors.As(want, &a) {
		require.ErrorAs(t, got, &b)
		require.Equal(t, a.Msg, b.Msg)
		return
	}
	require.Equal(t, want, got)
}

const bytesOfOne = `<val xsi:type="ArrayOfByte"><byte>1</byte><byte>2</byte></val>`

// A truncated answer is always reported as an error.
func TestCutOff(t *testing.T) {
	whole := props(val(`<val xsi:type="xsd:string">a &amp; b</val>`), val(bytesOfOne))
	reset := errors.New("connection reset by peer")
	for n := range len(strings.TrimSpace(whole)) {
		_, err := ours(strings.NewReader(whole[:n]))
		if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
			require.Contains(t, syntax.Msg, "unexpected EOF")
		} else {
			require.ErrorIs(t, err, io.EOF)
		}
		_, err = ours(io.MultiReader(strings.NewReader(whole[:n]), iotest.ErrReader(reset)))
		require.ErrorIs(t, err, reset)
	}
}

// govmomi's decoder would loop for ever here.
func TestMalformedAmongBytes(t *testing.T) {
	answer := strings.Replace(props(val(bytesOfOne)), "<byte>2", "<byte><!what", 1)
	_, err := ours(strings.NewReader(answer))
	require.Error(t, err)
}

// govmomi's decoder would panic here: the field cannot hold the type.
func TestTypeThatDoesNotFit(t *testing.T) {
	_, err := ours(strings.NewReader(props(val(`<val xsi:type="ArrayOfOptionValue"><OptionValue xsi:type="xsd:int">1</OptionValue></val>`))))
	require.ErrorContains(t, err, "its answer cannot be decoded: ")
}

func TestReaderIsUsedAgain(t *testing.T) {
	r := newReader()
	var kept []*methods.RetrievePropertiesExBody
	for _, name := range []string{"web-01", "größer", "a &lt; b", strings.Repeat("long", 50)} {
		body := new(methods.RetrievePropertiesExBody)
		require.NoError(t, r.read(strings.NewReader(props(val(`<val xsi:type="xsd:string">`+name+`</val>`), val(bytesOfOne))), 0, body))
		kept = append(kept, body)
		require.Error(t, r.read(strings.NewReader(props()[:300]), 0, new(methods.RetrievePropertiesExBody)))
	}
	for i, want := range []string{"web-01", "größer", "a < b", strings.Repeat("long", 50)} {
		require.Equal(t, want, kept[i].Res.Returnval.Objects[0].PropSet[0].Val, "nothing of it lies in the buffer that was used again")
	}
}

// followedPage is an answer with another page after it.
var followedPage = &methods.RetrievePropertiesExBody{Res: &types.RetrievePropertiesExResponse{Returnval: &types.RetrieveResult{Token: "1"}}}

func TestLargeAnswersAreNotKept(t *testing.T) {
	for _, answer := range []soap.HasFault{new(QueryPerfBody), followedPage} {
		c := NewClient(nil)
		r := newReader()
		r.body.Grow(maxKept + 1)
		c.keep(r, answer)
		require.NotSame(t, r, c.reader())
	}
}

// TestMemoryOfPagesIsReleased: facts are evaluated after all pages have been read.
func TestMemoryOfPagesIsReleased(t *testing.T) {
	c := NewClient(nil)
	r := newReader()
	r.body.Write(make([]byte, smallKept+1))
	released := make(chan struct{})
	runtime.AddCleanup(&r.body.Bytes()[0], func(struct{}) { close(released) }, struct{}{})
	c.keep(r, followedPage)
	require.Same(t, r, c.reader(), "it is used for the next page")
	c.keep(r, new(methods.ContinueRetrievePropertiesExBody))
	for range 3 {
		runtime.GC()
	}
	select {
	case <-released:
	case <-time.After(time.Minute):
		t.Fatal("the client keeps the memory of the last page")
	}
	runtime.KeepAlive(r)
	runtime.KeepAlive(c)
}

// demoPages are answers of the demo fleet: the start of the index, a host and a VM.
func demoPages(t testing.TB) map[string][]byte {
	t.Helper()
	pages := map[string][]byte{}
	for _, name := range []string{"index", "host", "vm"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".xml"))
		require.NoError(t, err)
		pages[name] = text
	}
	return pages
}

func TestDemoPages(t *testing.T) {
	for name, answer := range demoPages(t) {
		want, err := govmomis(bytes.NewReader(answer))
		require.NoError(t, err)
		require.NotEmpty(t, want.Res.Returnval.Objects)
		got := new(methods.RetrievePropertiesExBody)
		require.NoError(t, Page(answer, got), name)
		require.Equal(t, want, got, name)
	}
}

func FuzzPage(f *testing.F) {
	for _, answer := range demoPages(f) {
		f.Add(answer)
	}
	f.Add([]byte(props(val(`<val xsi:type="xsd:string">a &amp; b</val>`), val(bytesOfOne), val(`<val type="HostSystem" xsi:type="ManagedObjectReference">host-1</val>`))))
	f.Add([]byte(props(val(`<val xsi:type="ArrayOfOptionValue"><OptionValue xsi:type="OptionValue"><key>a</key><value xsi:type="xsd:long">5</value></OptionValue></val>`))))
	f.Add([]byte(props(val(`<val xmlns:_XMLSchema-instance="` + instance + `" _XMLSchema-instance:type="xsd:dateTime">2026-11-20T10:11:12Z</val>`))))
	f.Fuzz(func(t *testing.T, answer []byte) { agree(t, answer) })
}

// agree compares both decoders on an answer and reports whether its form is familiar.
func agree(t *testing.T, answer []byte) bool {
	t.Helper()
	here := new(methods.RetrievePropertiesExBody)
	if Page(answer, here) != nil {
		require.Zero(t, *here, "an unfamiliar answer leaves nothing behind")
		_, _ = ours(bytes.NewReader(answer)) // neither a panic nor an endless loop
		return false
	}
	there := new(methods.RetrievePropertiesExBody)
	require.NoError(t, plainly(bytes.NewReader(answer), there), "govmomi would take it:\n%s", answer)
	require.Equal(t, there, here, "%s", answer)
	return true
}

// TestMutatedAnswers changes a byte, or replaces a piece of an answer by another.
func TestMutatedAnswers(t *testing.T) {
	pages := demoPages(t)
	pages["bytes"] = []byte(props(val(bytesOfOne)))
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		page := pages[name]
		random := rand.New(rand.NewPCG(1, uint64(len(page))))
		familiar := 0
		for range 2_000_000 / (len(page) + 2000) {
			if agree(t, mutated(page, random)) {
				familiar++
			}
		}
		require.Positive(t, familiar)
	}
}

func mutated(page []byte, random *rand.Rand) []byte {
	page = slices.Clone(page)
	for range 1 + random.IntN(2) {
		at := random.IntN(len(page))
		if random.IntN(2) == 0 {
			page[at] = " <>&;/!'\"=:]x0\xfc"[random.IntN(15)]
			continue
		}
		i := random.IntN(len(page))
		piece := slices.Clone(page[i:min(i+random.IntN(60), len(page))])
		page = slices.Replace(page, at, min(at+random.IntN(60), len(page)), piece...)
	}
	return page
}

// Dates keep their zone.
func TestZone(t *testing.T) {
	body, err := ours(strings.NewReader(props(val(`<val xsi:type="xsd:dateTime">2026-11-20T10:11:12+05:30</val>`))))
	require.NoError(t, err)
	_, offset := body.Res.Returnval.Objects[0].PropSet[0].Val.(time.Time).Zone()
	require.Equal(t, 5*3600+30*60, offset)
}

// updates returns an answer with changes.
func updates(changes ...string) string {
	return head + `<WaitForUpdatesExResponse xmlns="urn:vim25"><returnval><version>7</version><filterSet><filter type="PropertyFilter">session[1]f</filter>` +
		strings.Join(changes, "") + `</filterSet><truncated>true</truncated></returnval></WaitForUpdatesExResponse>` + foot
}

var oneUpdate = []string{
	`<objectSet><kind>enter</kind><obj type="VirtualMachine">vm-1</obj><changeSet><name>name</name><op>assign</op><val xsi:type="xsd:string">a &amp; b</val></changeSet></objectSet>`,
	`<objectSet><kind>modify</kind><obj type="VirtualMachine">vm-1</obj><changeSet><name>runtime.host</name><op>assign</op><val type="HostSystem" xsi:type="ManagedObjectReference">host-1</val></changeSet>` +
		`<changeSet><name>config.hardware.numCPU</name><op>indirectRemove</op></changeSet></objectSet>`,
	`<objectSet><kind>leave</kind><obj type="VirtualMachine">vm-1</obj></objectSet>`,
	`<missingSet><obj type="HostSystem">host-1</obj><missingSet><path>config</path><fault><fault xsi:type="NoPermission"><object type="Folder">group-d1</object><privilegeId>System.Read</privilegeId></fault>` +
		`<localizedMessage></localizedMessage></fault></missingSet></missingSet>`,
}

// FuzzUpdates compares both decoders on answers with changes.
func FuzzUpdates(f *testing.F) {
	f.Add([]byte(updates()))
	f.Add([]byte(updates(oneUpdate...)))
	for _, one := range oneUpdate {
		f.Add([]byte(updates(one)))
	}
	f.Add([]byte(head + `<WaitForUpdatesExResponse xmlns="urn:vim25"></WaitForUpdatesExResponse>` + foot))
	f.Fuzz(func(t *testing.T, answer []byte) { agreeOnUpdates(t, answer) })
}

func agreeOnUpdates(t *testing.T, answer []byte) bool {
	t.Helper()
	here, there := new(methods.WaitForUpdatesExBody), new(methods.WaitForUpdatesExBody)
	if Page(answer, here) != nil {
		require.Zero(t, *here, "an unfamiliar answer leaves nothing behind")
		return false
	}
	require.NoError(t, plainly(bytes.NewReader(answer), there), "govmomi would take it:\n%s", answer)
	require.Equal(t, there, here, "%s", answer)
	return true
}

// TestUpdates: answers in the servers' form are decoded without govmomi's decoder, with the same result; the same holds with a
// few wrong bytes.
func TestUpdates(t *testing.T) {
	whole := []byte(updates(oneUpdate...))
	require.True(t, agreeOnUpdates(t, whole))
	random, familiar := rand.New(rand.NewPCG(2, 3)), 0
	for range 1500 {
		if agreeOnUpdates(t, mutated(whole, random)) {
			familiar++
		}
	}
	require.Positive(t, familiar)
}
