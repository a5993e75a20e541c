package wire

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/faulty"
)

// TestDamagedValues: a value that cannot be decoded costs itself, and the values around it are decoded.
func TestDamagedValues(t *testing.T) {
	good := `<propSet><name>name</name><val xsi:type="xsd:string">web-01</val></propSet>`
	for name, c := range map[string]struct {
		property string
		want     any
		why      string
	}{
		"no number":           {`<val xsi:type="xsd:int">five</val>`, nil, `"five" is not a number of 32 bits`},
		"number too large":    {`<val xsi:type="xsd:int">2147483648</val>`, nil, `"2147483648" is not a number of 32 bits`},
		"long too large":      {`<val xsi:type="xsd:long">99999999999999999999</val>`, nil, `"99999999999999999999" is not a number of 64 bits`},
		"no fraction":         {`<val xsi:type="xsd:double">1,5</val>`, nil, `"1,5" is not a number`},
		"no boolean":          {`<val xsi:type="xsd:boolean">yes</val>`, nil, `"yes" is not true or false`},
		"no time":             {`<val xsi:type="xsd:dateTime">yesterday</val>`, nil, `"yesterday" is not a time`},
		"no byte":             {`<val xsi:type="ArrayOfByte"><byte>1</byte><byte>256</byte></val>`, nil, `"256" is not a byte`},
		"long text":           {`<val xsi:type="xsd:int">` + strings.Repeat("7", 1000) + `</val>`, nil, `"` + strings.Repeat("7", 60) + `…" is not a number of 32 bits`},
		"not UTF-8":           {"<val xsi:type=\"xsd:string\">a\xffb</val>", nil, `"a` + "\uFFFD" + `b" has a damaged character`},
		"a control character": {"<val xsi:type=\"xsd:string\">a\x1fb</val>", nil, `"a` + "\uFFFD" + `b" has a damaged character`},
		"a reference":         {`<val xsi:type="xsd:string">a&#31;b</val>`, nil, `"a` + "\uFFFD" + `b" has a damaged character`},
		"an enumeration":      {`<val xsi:type="VirtualMachinePowerState">powered&#x1F;On</val>`, nil, "\"powered\uFFFDOn\" has a damaged character"},
		"of a list":           {`<val xsi:type="ArrayOfVirtualDevice"><VirtualDevice xsi:type="VirtualVmxnet3"/><VirtualDevice xsi:type="VirtualVmxnet3"><key>x</key></VirtualDevice></val>`, nil, `[1].key: "x" is not a number of 32 bits`},
		"deep in a list":      {`<val xsi:type="ArrayOfVirtualDevice"><VirtualDevice xsi:type="VirtualDisk"><key>1</key><backing xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>f</fileName><diskMode>d</diskMode><thinProvisioned>maybe</thinProvisioned></backing></VirtualDevice></val>`, nil, `[0].backing.thinProvisioned: "maybe" is not true or false`},
		"a secret":            {"<val xsi:type=\"ArrayOfCustomFieldValue\"><CustomFieldValue xsi:type=\"CustomFieldStringValue\"><key>1</key><value>pass\xffword</value></CustomFieldValue></val>", nil, `[0].value has a damaged character`},
		"a reference's id":    {"<val type=\"HostSystem\" xsi:type=\"ManagedObjectReference\">host\xff-1</val>", nil, "\"host\uFFFD-1\" has a damaged character"},
		"without a zone":      {`<val xsi:type="ArrayOfString"><string>x</string></val></propSet><propSet><name>b</name><val xsi:type="xsd:dateTime">2026-11-20T10:11:12.5</val>`, types.ArrayOfString{String: []string{"x"}}, ""},
		"a label":             {"<val xsi:type=\"Description\"><label>a\xffb</label><summary>&#1;</summary></val>", types.Description{Label: "a\uFFFDb", Summary: "\uFFFD"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ours(strings.NewReader(props(val(c.property), good)))
			require.NoError(t, err)
			list := got.Res.Returnval.Objects[0].PropSet
			require.Equal(t, "web-01", list[len(list)-1].Val)
			if c.why == "" {
				require.Equal(t, c.want, list[0].Val)
				return
			}
			damage, is := list[0].Val.(*DamageError)
			require.True(t, is, "%v", list[0].Val)
			require.Equal(t, c.why, strings.TrimPrefix(damage.Error(), ": "))
		})
	}
}

// TestTimesWithoutZoneAreUTC in any answer, whether it has pages or not.
func TestTimesWithoutZoneAreUTC(t *testing.T) {
	body := new(methods.CurrentTimeBody)
	answer := head + `<CurrentTimeResponse xmlns="urn:vim25"><returnval>2026-11-20T10:11:12.5</returnval></CurrentTimeResponse>` + foot
	require.NoError(t, newReader().read(strings.NewReader(answer), 0, body))
	require.Equal(t, "2026-11-20T10:11:12.5Z", body.Res.Returnval.Format("2006-01-02T15:04:05.999999999Z07:00"))
}

// TestDamageOutsideValues: an answer in which nobody knows what is damaged fails, and says which byte is wrong.
func TestDamageOutsideValues(t *testing.T) {
	good := val(`<val xsi:type="xsd:string">a</val>`)
	for name, c := range map[string]struct{ answer, why string }{
		"in a tag":       {strings.Replace(props(good), "<propSet>", "<prop\x01Set>", 1), `: a forbidden character inside a tag`},
		"in a type":      {strings.Replace(props(good), "xsd:string", "xsd:str\xffing", 1), `: a forbidden character inside a tag`},
		"in a token":     {strings.Replace(props(good), "<token>1", "<token>1\xff", 1), `: returnval.token has a damaged character`},
		"another end":    {strings.Replace(props(good), "</propSet>", "</propset>", 1), `: element <propSet> closed by </propset>`},
		"a tag too many": {strings.Replace(props(good), "</objects>", "</objects></objects>", 1), `: element <returnval> closed by </objects>`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ours(strings.NewReader(c.answer))
			var damaged *AnswerError
			require.ErrorAs(t, err, &damaged)
			require.Contains(t, err.Error(), c.why)
			require.Positive(t, damaged.Offset)
			require.LessOrEqual(t, damaged.Offset, int64(len(c.answer)))
		})
	}
}

// TestAnswersThatAreNotSOAP say where they stop being SOAP, or where they end.
func TestAnswersThatAreNotSOAP(t *testing.T) {
	good := props(val(`<val xsi:type="xsd:string">a</val>`))
	ends := func(n int) string { return fmt.Sprintf("ends at byte %d before it is complete", n) }
	for name, c := range map[string]struct {
		answer, why string
		early       bool
	}{
		"HTML":             {"<html><body>a<br>b</body></html>", `is no SOAP from byte 1 on: "<html><body>a<br>b</body></html>"`, false},
		"HTML as XML":      {"\n<html></html>", `is no SOAP from byte 2 on: "<html></html>"`, false},
		"HTML without end": {"<html><br>", `is no SOAP from byte 1 on: "<html><br>"`, false},
		"after a prolog":   {`<?xml version="1.0"?><html></html>`, `is no SOAP from byte 22 on: "<html></html>"`, false},
		"long":             {"<html>" + strings.Repeat("a", 100), `is no SOAP from byte 1 on: "<html>` + strings.Repeat("a", 54) + `…"`, false},
		"cut":              {good[:len(good)/2], ends(len(good) / 2), true},
		"cut at the end":   {good[:len(good)-20], ends(len(good) - 20), true},
		"cut in the first": {good[:30], ends(30), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ours(strings.NewReader(c.answer))
			require.EqualError(t, err, c.why)
			require.Equal(t, c.early, Early(err))
		})
	}
	_, err := ours(io.MultiReader(strings.NewReader(good[:200]), broken{io.ErrUnexpectedEOF}))
	require.EqualError(t, err, ends(200), "cut on the way")
	_, err = ours(strings.NewReader(""))
	require.ErrorIs(t, err, io.EOF)
}

// TestDamagedNamesAreNotLost: a property whose name is damaged is not a property that the server did not return.
func TestDamagedNamesAreNotLost(t *testing.T) {
	got, err := ours(strings.NewReader(props("<propSet><name>config\xff.x</name><val xsi:type=\"xsd:int\">5</val></propSet>",
		"<missingSet><path>con\xfffig</path><fault><fault xsi:type=\"NoPermission\"><privilegeId>System.Read</privilegeId></fault><localizedMessage/></fault></missingSet>")))
	require.NoError(t, err)
	object := got.Res.Returnval.Objects[0]
	require.True(t, object.PropSet[0].Val.(*DamageError).Name)
	require.True(t, object.MissingSet[0].Fault.Fault.(*DamageError).Name)
}

// TestDamagedSamples: a damaged value of one object leaves the samples of the others.
func TestDamagedSamples(t *testing.T) {
	other := strings.ReplaceAll(perfCSV, "vm-1", "vm-2")
	answer := []byte(perfAnswer(perfCSV, perfList, other))
	dice := rand.New(rand.NewPCG(33, 3)) //nolint:gosec // for a test
	spots := faulty.Spots(answer[:strings.LastIndex(string(answer), other)])
	require.Len(t, spots, 5)
	for _, spot := range spots {
		for range 20 {
			damaged, now := spot.Damage(answer, dice)
			got := new(QueryPerfBody)
			require.NoError(t, newReader().read(bytes.NewReader(damaged), 0, got), "%+v is %q", spot, now)
			last := got.Res.Returnval[len(got.Res.Returnval)-1].(*types.PerfEntityMetricCSV)
			require.Equal(t, "vm-2", last.Entity.Value)
			require.Equal(t, "0,5", last.Value[0].Value)
		}
	}
}
