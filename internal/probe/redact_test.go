package probe

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	r := NewRedactor()
	require.Equal(t, "host-1", r.Alias("host", "Esx-Berlin"))
	require.Equal(t, "host-1", r.Alias("host", "esx-berlin"), "case does not matter")
	r.Same("host-1", "esx-berlin.corp.example.com")
	for text, want := range map[string]string{
		"PowerEdge R730": "PowerEdge R730",
		"Intel(R) Xeon(R) Gold 6142 CPU @ 2.60GHz": "Intel(R) Xeon(R) Gold 6142 CPU @ 2.60GHz",
		"Dell Inc.":                            "Dell Inc.",
		"ACPI P-states, ACPI C-states":         "ACPI P-states, ACPI C-states",
		"for ESX-Berlin only":                  "for host-1 only",
		"esx-berlin.corp.example.com":          "host-1",
		"esx-berliner":                         "esx-berliner",
		"other.corp.example.com is down":       "(hidden) is down",
		"at 10.1.2.3 or fe80::1:2":             "at (hidden) or (hidden)",
		"mac 00:50:56:ab:cd:ef":                "mac (hidden)",
		"WWN 20:00:00:25:b5:aa:00:0f":          "WWN (hidden)",
		"VMware-56 4d 12 34 56 78 9a bc-de":    "VMware-(hidden)",
		"564d1234-5678-9abc-def0-123456789abc": "(hidden)",
		"naa.600508b1001c4d3f":                 "(hidden)",
		"key ABCDE-12345-FGHIJ-67890-KLMNO":    "key (hidden)",
		"CORP\\admin or admin@corp":            "(hidden) or (hidden)",
		"see https://wiki/esx":                 "see (hidden)",
		"in /vmfs/volumes/ds1/x.vmdk":          "in (hidden)",
		"[ds1] vm/vm.vmx":                      "(hidden)",
		"default = 0 [0-16]":                   "default = 0 [0-16]",
		"one\ntwo\x1b[31m\u202ethree":          "one two [31m three",
		strings.Repeat("y", 300):               strings.Repeat("y", 200) + "…",
	} {
		require.Equal(t, want, r.Text(text), text)
	}
	require.Equal(t, "4.19.71.101", r.Version("4.19.71.101"))
	r.Alias("address", "4.19.71.102")
	require.Equal(t, "address-1", r.Version("4.19.71.102"))
	require.Equal(t, hiddenText, r.Version("1.0/etc"))
	_, ok := r.Word("esx-berlin")
	require.False(t, ok)
	_, ok = r.Word("two words")
	require.False(t, ok)
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	r := NewRedactor()
	for text, hidden := range map[string]bool{"": false, "Balanced": false, "rbc": false, "server.example.com": true, "balanced": true} {
		v := inventory.StringValue(text)
		shown, is := r.Default(&v)
		require.Equal(t, hidden, is, text)
		require.Equal(t, hidden, shown == nil, text)
	}
	require.True(t, r.OptionKey("Net.UseHwTSO"))
	require.True(t, r.OptionKey("Power.CpuPolicy"), "it is in the shipped table")
	for _, key := range []string{"Syslog.global.logHost", "Misc.HostName", "UserVars.Site", "Net.a b", ""} {
		require.False(t, r.OptionKey(key), key)
	}
}

const schemaText = "|Server|MinFetchIntervalInUsec,U64|IsVMVisor,B|TimeStampInUsec,U64|Time,S64|\n|VCPU|VCPUID,U32|WorldName,STR|AllocUnitStr,CSTR|LCPU,U32|\n" +
	"|SchedGroup|GroupID,U32|GroupName,STR|VMName,STR|\n|NetPort|PortID,U32|ClientName,STR|TeamUplink,STR|WorldLeader,U32|\n|Bad|no type|\nno bars\n\n"

// TestEsxtopWithoutNames: names and ids are replaced, equal ones equally; figures stay.
func TestEsxtopWithoutNames(t *testing.T) {
	t.Parallel()
	const stats = `==NUM-OF-OBJ==
|SchedGroup|GroupID,7001|GroupName,vm.2100500|MemClientID,2100500|CPUClient,2|
|CPUClient|CPUClientID,2100510|VCPUName,vmx-vcpu-0:web 01, prod|
|SCSIDevice|DeviceName,naa.6005|DisplayName,Boot LUN|WorldPerDev,5|
|Odd|x|
==COUNTER-VALUE==
|Server|2000000|1|1000000000|1700000000|
|SchedGroup|7001|vm.2100500|web 01, prod|
|VCPU|2100510|vmx-vcpu-0:web 01, prod|mhz|3|
|VCPU|2100511|vmx|Hemlock Ltd|3|
|NetPort|50331660|web 01, prod.eth0|vmnic0|2100510|
|NetPort|50331661|web|01|vmnic0|2100510|
|Unknown|1|secret|
no row of secret
`
	e := EsxtopOf(NewRedactor(), schemaText, stats, 0)
	require.Equal(t, []string{
		"==NUM-OF-OBJ==",
		"|SchedGroup|GroupID,1|GroupName,vm.2|MemClientID,2|CPUClient,2|",
		"|CPUClient|CPUClientID,3|VCPUName,vmx-vcpu-0:vm-1|",
		"|SCSIDevice|DeviceName,device-1|DisplayName,device-2|WorldPerDev,5|",
		"|Odd|(hidden)|",
		"==COUNTER-VALUE==",
		"|Server|2000000|1|1000000000|1700000000|",
		"|SchedGroup|1|vm.2|vm-1|",
		"|VCPU|3|vmx-vcpu-0:vm-1|mhz|3|",
		"|VCPU|4|world-1|world-2|3|",
		"|NetPort|1|vm-1.eth0|vmnic0|3|",
		"|NetPort|(hidden)|(hidden)|(hidden)|(hidden)|(hidden)|",
	}, e.Sample)
	require.Equal(t, 4, e.Strange)
	require.Equal(t, Row{Name: "VCPU", Fields: []string{"VCPUID:U32", "WorldName:STR", "AllocUnitStr:CSTR", "LCPU:U32"}, Count: 2}, e.Rows[1])

	few := EsxtopOf(NewRedactor(), schemaText, stats, 1)
	require.Len(t, few.Sample, 10)
	require.Equal(t, 2, few.Rows[1].Count, "rows are counted, also if they are not kept")
}

// FuzzEsxtop: no text of an answer that begins with a letter and is no row or field is in the sample.
func FuzzEsxtop(f *testing.F) {
	f.Add(schemaText, "==COUNTER-VALUE==\n|VCPU|1|hemlock-1|mhz|2|\n")
	f.Add("|A|B,STR|\n", "|A|hemlock|\n==COUNTER-VALUE==\n|A|x:hemlock.eth0|hemlock|\n")
	f.Add("|A|B,CSTR|\n", "|A|hemlock,1|\n==COUNTER-VALUE==\n|A|hemlock|\n")
	f.Fuzz(func(t *testing.T, info, stats string) {
		r := NewRedactor()
		r.Alias("vm", "hemlock")
		e := EsxtopOf(r, info, stats, 0)
		for _, line := range e.Sample {
			for _, cell := range strings.Split(line, "|")[1:] {
				if cell == "hemlock" || strings.HasPrefix(cell, "hemlock,") {
					t.Errorf("%q", line)
				}
			}
		}
	})
}
