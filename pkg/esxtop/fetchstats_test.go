package esxtop

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shared finds test input that is not in the repository.
func shared(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../shared/testdata/esxtop", name))
	if err != nil {
		t.Skipf("%s is not here: it is a real host's and does not belong to the project", name)
	}
	return string(data)
}

func example(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "example-"+name+".dsv"))
	require.NoError(t, err)
	return string(data)
}

func exampleSchema(t testing.TB) *Schema {
	t.Helper()
	s, err := ParseSchema(example(t, "counterinfo"))
	require.NoError(t, err)
	return s
}

// realSample returns the dump of a real host, with all objects.
func realSample(t testing.TB) *Sample {
	t.Helper()
	schema, err := ParseSchema(shared(t, "api-counterinfo.dsv"))
	require.NoError(t, err)
	sample, err := schema.Parse(shared(t, "api-fetchstats.dsv"), AllObjects)
	require.NoError(t, err)
	return sample
}

// row finds a row by the text or the number in one of its fields.
func row(t testing.TB, b *Block, field, value string) int {
	t.Helper()
	for i := range b.Len() {
		if valueOf(t, b, i, field) == value {
			return i
		}
	}
	t.Fatalf("no row of %s has %s = %s", b.Group.Name, field, value)
	return -1
}

// valueOf returns a value as the service wrote it; empty if there is none.
func valueOf(t testing.TB, b *Block, row int, field string) string {
	t.Helper()
	i := b.Group.Field(field)
	require.GreaterOrEqual(t, i, 0, "%s has no field %s", b.Group.Name, field)
	if s, ok := b.Text(row, i); ok {
		return s
	}
	if n, ok := b.Signed(row, i); ok && b.Group.Fields[i].signed {
		return strconv.FormatInt(n, 10)
	}
	if n, ok := b.Number(row, i); ok {
		return strconv.FormatUint(n, 10)
	}
	return ""
}

func TestParseRealDump(t *testing.T) {
	s := realSample(t)
	total := 0
	for _, b := range s.blocks {
		total += b.Len()
	}
	require.Equal(t, 8883, total)
	for group, want := range map[string]int{
		"Server": 1, "LCPU": 56, "NUMANode": 2, "SchedGroup": 1120, "CPUClient": 792, "VCPU": 833, "HiddenWorld": 336, "VMem": 111,
		"VMNUMANodeMem": 6, "Adapter": 3, "SCSIDevice": 7, "Path": 97, "Partition": 10, "WorldPerDev": 7, "VscsiGroup": 1,
		"VscsiDisk": 1, "NetPortset": 2, "NetPort": 13, "PNIC": 4, "InterruptVector": 85, "InterruptPerCPU": 4760, "LCPUPower": 56,
		"CState": 112, "TState": 448, "PState": 0, "NfsClient": 0, "Dom": 0,
	} {
		require.Equal(t, want, s.Block(group).Len(), group)
	}
	require.Equal(t, "2019-10-08", s.Time.Format(time.DateOnly))
	require.Equal(t, "vSwitch0", s.portset("33554433"))
	require.Equal(t, "frigo001", s.diskVM("90356474"))

	groups := s.Block("SchedGroup")
	screen, memory, vms := 0, 0, 0
	for i := range groups.Len() {
		if valueOf(t, groups, i, "NumOfCPUClients") == "0" {
			continue
		}
		screen++
		if valueOf(t, groups, i, "HasMemClient") == "1" {
			memory++
		}
		if valueOf(t, groups, i, "IsVM") == "1" {
			vms++
		}
	}
	require.Equal(t, []int{60, 55, 1}, []int{screen, memory, vms})
}

// TestRealDumpParents: the dump has the number of children, so that each row's parent is known.
func TestRealDumpParents(t *testing.T) {
	s := realSample(t)
	for _, of := range []struct{ parent, count, child string }{
		{"SchedGroup", "NumOfCPUClients", "CPUClient"},
		{"SchedGroup", "NumOfHiddenWorlds", "HiddenWorld"},
		{"SchedGroup", "HasMemClient", "VMem"},
		{"SchedGroup", "NumOfNUMANodes", "VMNUMANodeMem"},
		{"CPUClient", "NumOfVCPUs", "VCPU"},
		{"SCSIDevice", "NumOfWorlds", "WorldPerDev"},
		{"SCSIDevice", "NumOfPartitions", "Partition"},
		{"VscsiGroup", "NumOfVscsiDisks", "VscsiDisk"},
		{"NetPortset", "NumOfPorts", "NetPort"},
		{"InterruptVector", "NumOfCPUs", "InterruptPerCPU"},
		{"LCPUPower", "NumOfCStates", "CState"},
		{"LCPUPower", "NumOfTStates", "TState"},
	} {
		parents, children := s.Block(of.parent), s.Block(of.child)
		have := make([]int, parents.Len())
		for i := range children.Len() {
			have[children.Parent(i)]++
		}
		for i, n := range have {
			require.Equal(t, valueOf(t, parents, i, of.count), strconv.Itoa(n), "%s of %s %d", of.child, of.parent, i)
		}
	}
}

// TestRealDumpFacts checks known values of the dump that need at most a change of unit.
func TestRealDumpFacts(t *testing.T) {
	s := realSample(t)
	megabytes := func(b *Block, i int, fields ...string) (mb []int) {
		for _, f := range fields {
			n, ok := b.Number(i, b.Group.Field(f))
			require.True(t, ok, f)
			mb = append(mb, int((n+512)/1024))
		}
		return mb
	}
	require.Equal(t, []int{262018, 28344, 230276, 261633, 3231, 11157, 250475, 785, 69}, megabytes(s.Block("PMem"), 0, "PhysicalMemInKB",
		"NonkernelUsedInKB", "FreeMemInKB", "SchedManagedInKB", "SchedMinFreeInKB", "SchedReservedInKB", "SchedAvailInKB", "PShareSharedInKB", "PShareCommonInKB"))
	require.Equal(t, "high", valueOf(t, s.Block("PMem"), 0, "SchedStateStr"))
	require.Equal(t, "166", valueOf(t, s.Block("Power"), 0, "UsageNowInWatt"))
	for i, load := range map[string]string{"HostCPUInPct1Min": "125", "HostCPUInPct5Min": "69", "HostCPUInPct15Min": "30"} {
		require.Equal(t, load, valueOf(t, s.Block("Sched"), 0, i))
	}

	groups := s.Block("SchedGroup")
	vm := row(t, groups, "GroupName", "vm.13713826")
	for field, want := range map[string]string{
		"VMName": "frigo001", "CPUAllocMax": "-1", "CPUAllocShares": "-3", "CPUAllocUnitsStr": "mhz", "HomeNodes": "3", "NumOfBalanceMigrations": "0",
		"RemoteMemoryInKB": "0", "LocalityPct": "100", "GroupLeaderID": "13713826",
	} {
		require.Equal(t, want, valueOf(t, groups, vm, field), field)
	}
	require.Equal(t, []int{28420}, megabytes(groups, vm, "LocalMemoryInKB"))

	memory := s.Block("VMem")
	for i := range memory.Len() {
		if memory.Parent(i) == vm {
			require.Equal(t, []int{200488, 28444, 10380, 720, 389, 1343, 127901}, megabytes(memory, i, "ClientSizeInKB", "MappedInKB",
				"ClientTouchedInKB", "SharedInKB", "CurrentOverheadInKB", "MaxOverheadInKB", "BalloonMaxInKB"))
			require.Equal(t, "6", valueOf(t, memory, i, "EstimateActiveInPct"))
			require.Equal(t, "1", valueOf(t, memory, i, "IsBalloonActive"))
			require.Equal(t, "4611686018427387904", valueOf(t, memory, i, "PagesPerShare"))
		}
	}

	worlds, clients, of, cpus := s.Block("VCPU"), s.Block("CPUClient"), 0, 0
	for i := range worlds.Len() {
		if clients.Parent(worlds.Parent(i)) == vm {
			of++
			if strings.HasPrefix(valueOf(t, worlds, i, "WorldName"), "vmx-vcpu-") {
				cpus++
			}
		}
	}
	require.Equal(t, []int{50, 42}, []int{of, cpus})
}

func TestParseExample(t *testing.T) {
	schema := exampleSchema(t)
	first, err := schema.Parse(example(t, "t0"), AllObjects)
	require.NoError(t, err)
	next, err := schema.Parse(example(t, "t1"), AllObjects)
	require.NoError(t, err)
	require.Equal(t, 5*time.Second, next.Clock-first.Clock)
	require.Equal(t, time.Unix(1700000005, 0).UTC(), next.Time)

	worlds := next.Block("VCPU")
	cpu := row(t, worlds, "VCPUID", "2100510")
	require.Equal(t, "vmx-vcpu-0:web 01 (prod)", valueOf(t, worlds, cpu, "WorldName"))
	require.Equal(t, "20400000", valueOf(t, worlds, cpu, "ReadyTimeInUsec"))
	require.Equal(t, "-1", valueOf(t, worlds, cpu, "AllocMax"))
	require.Equal(t, 1, worlds.Parent(cpu))
	require.Equal(t, 0, next.Block("CPUClient").Parent(1))
	require.Nil(t, next.Block("Dom"))
	require.Nil(t, next.Block("No such group"))
	require.Zero(t, next.Block("Dom").Len())
}

func TestParseWhatIsWanted(t *testing.T) {
	schema := exampleSchema(t)
	for _, tc := range []struct {
		wanted    Objects
		has, lack []string
	}{
		{0, []string{"Server"}, []string{"PMem", "VCPU", "TState"}},
		{ObjectsOf(VDisk), []string{"VscsiGroup", "VscsiDisk", "SchedGroup"}, []string{"SCSIDevice", "VCPU", "InterruptPerCPU"}},
		{AllObjects &^ ObjectsOf(Vector, VectorCPU, TState), []string{"VCPU", "CState", "LCPUPower"}, []string{"Interrupt", "InterruptVector", "InterruptPerCPU", "TState"}},
	} {
		s, err := schema.Parse(example(t, "t0"), tc.wanted)
		require.NoError(t, err)
		for _, group := range tc.has {
			require.NotZero(t, s.Block(group).Len(), group)
		}
		for _, group := range tc.lack {
			require.Zero(t, s.Block(group).Len(), group)
		}
	}
}

const (
	smallSchema = "|Server|TimeStampInUsec,U64|Time,S64|\n|SchedGroup|GroupID,U32|GroupName,STR|IsVM,B|VMName,STR|TimerPeriod,U32|\n" +
		"|CPUClient|CPUClientID,U32|\n|VCPU|VCPUID,U32|AllocMax,S32|\n|LCPU|LCPUID,U32|UsedTimeInUsec,U64|\n|NfsClient|MountName,STR|NumOfReads,U64|\n" +
		"|Novel|Temperature,U128|Colour,RGB|\n"
	smallHead = "==COUNTER-VALUE==\n|Server|1000|2|\n"
)

// TestParseOddRows checks fields of a row, and the errors; "absent" means that there is no value.
func TestParseOddRows(t *testing.T) {
	for name, tc := range map[string]struct {
		rows, group, field string
		want, complaint    string
	}{
		"few values":                      {"|LCPU|3|\n", "LCPU", "UsedTimeInUsec", "", ""},
		"few values: those before":        {"|LCPU|3|\n", "LCPU", "LCPUID", "3", ""},
		"no values":                       {"|LCPU|\n", "LCPU", "LCPUID", "", ""},
		"empty value":                     {"|LCPU||7|\n", "LCPU", "LCPUID", "", ""},
		"after an empty value":            {"|LCPU||7|\n", "LCPU", "UsedTimeInUsec", "7", ""},
		"too many values":                 {"|LCPU|3|4|5|\n", "LCPU", "UsedTimeInUsec", "4", ""},
		"| in the one name":               {"|NfsClient|vol|1|7|\n", "NfsClient", "MountName", "vol|1", ""},
		"after | in the one name":         {"|NfsClient|vol|1|7|\n", "NfsClient", "NumOfReads", "7", ""},
		"no last |":                       {"|NfsClient|vol|1|7\n", "NfsClient", "MountName", "vol|1", ""},
		"no last |: number":               {"|NfsClient|vol|1|7\n", "NfsClient", "NumOfReads", "7", ""},
		"a VM that is called as a row":    {"|SchedGroup|1|vm.5|1|a|0|b|99|\n", "SchedGroup", "VMName", "a|0|b", ""},
		"is still a VM":                   {"|SchedGroup|1|vm.5|1|a|0|b|99|\n", "SchedGroup", "IsVM", "1", ""},
		"no number":                       {"|LCPU|x|4|\n", "LCPU", "LCPUID", "", `reading FetchStats: line 3: LCPU.LCPUID is "x", which is no U32; 2 rows were read`},
		"after no number":                 {"|LCPU|x|4|\n", "LCPU", "UsedTimeInUsec", "4", "line 3"},
		"two are wrong":                   {"|LCPU|x|y|\n", "LCPU", "LCPUID", "", "(and 1 more of such)"},
		"minus":                           {"|VCPU|1|-1|\n", "VCPU", "AllocMax", "-1", ""},
		"minus where there is none":       {"|VCPU|-1|1|\n", "VCPU", "VCPUID", "", `VCPU.VCPUID is "-1"`},
		"largest":                         {"|LCPU|1|18446744073709551615|\n", "LCPU", "UsedTimeInUsec", "18446744073709551615", ""},
		"too large":                       {"|LCPU|1|18446744073709551616|\n", "LCPU", "UsedTimeInUsec", "", "no U64"},
		"much too large":                  {"|LCPU|1|99999999999999999999|\n", "LCPU", "UsedTimeInUsec", "", "no U64"},
		"smallest":                        {"|VCPU|1|-9223372036854775808|\n", "VCPU", "AllocMax", "-9223372036854775808", ""},
		"too small":                       {"|VCPU|1|-9223372036854775809|\n", "VCPU", "AllocMax", "", "no S32"},
		"too large for signed":            {"|VCPU|1|9223372036854775808|\n", "VCPU", "AllocMax", "", "no S32"},
		"no row":                          {"LCPU|1|2|\n|LCPU|3|4|\n", "LCPU", "LCPUID", "3", `line 3: "LCPU|1|2|" does not start with |`},
		"unknown group":                   {"|Unheard|1|2|\n|LCPU|3|4|\n", "LCPU", "LCPUID", "3", ""},
		"line ends of Windows":            {"|LCPU|3|4|\r\n", "LCPU", "UsedTimeInUsec", "4", ""},
		"blank lines and NUL at the end":  {"|LCPU|3|4|\n\n \n\x00", "LCPU", "UsedTimeInUsec", "4", ""},
		"cut in a number":                 {"|LCPU|3|4", "LCPU", "UsedTimeInUsec", "", "line 3: the text ends within this row of LCPU, after 1 of its 2 values"},
		"cut between numbers":             {"|LCPU|3|", "LCPU", "LCPUID", "3", "the text ends within this row"},
		"no line end is not cut":          {"|LCPU|3|4|", "LCPU", "UsedTimeInUsec", "4", ""},
		"wider number of a later release": {"|Novel|37|blue|\n", "Novel", "Temperature", "37", ""},
		"type of a later release":         {"|Novel|37|blue|\n", "Novel", "Colour", "blue", ""},
	} {
		t.Run(name, func(t *testing.T) {
			schema, err := ParseSchema(smallSchema)
			require.NoError(t, err)
			s, err := schema.Parse(smallHead+tc.rows, AllObjects)
			require.NotNil(t, s)
			if tc.complaint == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.complaint)
			}
			require.Equal(t, tc.want, valueOf(t, s.Block(tc.group), 0, tc.field))
		})
	}
}

func TestParseParents(t *testing.T) {
	schema, err := ParseSchema(smallSchema)
	require.NoError(t, err)
	s, err := schema.Parse(smallHead+"|VCPU|1|0|\n|SchedGroup|1|\n|CPUClient|1|\n|VCPU|2|0|\n|SchedGroup|2|\n|VCPU|3|0|\n", AllObjects)
	require.NoError(t, err)
	worlds := s.Block("VCPU")
	require.Equal(t, []int{-1, 0, -1}, []int{worlds.Parent(0), worlds.Parent(1), worlds.Parent(2)},
		"a world before all clients has no owner, and neither has one of a group without a client")
}

func TestParseNames(t *testing.T) {
	schema, err := ParseSchema(smallSchema)
	require.NoError(t, err)
	s, err := schema.Parse("==NUM-OF-OBJ==\n|NetPort|PortID,7|PortsetName,DVS|east|\n|SCSIDevice|DeviceName,naa.1|DisplayName,|WorldPerDev,5|\n"+
		"|VscsiGroup|GroupId,9|GroupName,db, old|new|VscsiDisk,1|\n|VscsiDisk|DiskId,8274|DiskName,scsi0:0|\n"+smallHead, AllObjects)
	require.NoError(t, err)
	require.Equal(t, "DVS|east", s.portset("7"))
	require.Equal(t, "db, old|new", s.diskVM("9"))
}

func TestParseNothing(t *testing.T) {
	schema, err := ParseSchema(smallSchema)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"empty":           "",
		"another text":    "<html><body>503</body></html>",
		"no clock":        "==COUNTER-VALUE==\n|Server|\n",
		"no values":       "==NUM-OF-OBJ==\n|Server|PCPU,1|\n",
		"impossible time": "==COUNTER-VALUE==\n|Server|18446744073709551615|2|\n",
	} {
		s, err := schema.Parse(text, AllObjects)
		require.Nil(t, s, name)
		require.ErrorContains(t, err, "rows were read", name)
	}
	_, err = schema.Parse("<html>", AllObjects)
	require.ErrorContains(t, err, `line 1: "<html>" does not start with |`)
}

func FuzzParse(f *testing.F) {
	f.Add(example(f, "counterinfo"), example(f, "t0"))
	f.Add(smallSchema, smallHead+"|SchedGroup|1|vm.5|1|a|0|b|99|\n|VCPU|1|-1|\n|LCPU|3|4")
	f.Add(smallSchema, "==NUM-OF-OBJ==\n|NetPort|PortID,7|PortsetName,a|b|\n==COUNTER-VALUE==\n|Server|1|\x00\n")
	f.Add("|Server|TimeStampInUsec,U64|Name,STR|", "==COUNTER-VALUE==\n|Server|7|a|b|c")
	f.Fuzz(func(t *testing.T, counterInfo, fetchStats string) {
		schema, _ := ParseSchema(counterInfo)
		if schema == nil {
			return
		}
		s, err := schema.Parse(fetchStats, AllObjects)
		require.True(t, s != nil || err != nil)
		if s == nil {
			return
		}
		for _, b := range s.blocks {
			for i := range b.Len() {
				require.Less(t, b.Parent(i), rowsAbove(s, b))
				for j := range b.Group.Fields {
					_, number := b.Signed(i, j)
					_, text := b.Text(i, j)
					require.False(t, number && text)
				}
			}
		}
	})
}

// rowsAbove returns how many rows the block above has.
func rowsAbove(s *Sample, b *Block) int {
	if b.Group.parent == nil {
		return 0
	}
	return s.blocks[b.Group.parent.index].Len()
}

// bigDump returns a text with as many rows of each group as the real dump, all copied from the example.
func bigDump(t testing.TB) string {
	rows := map[string]string{}
	for _, line := range lines(example(t, "t0")) {
		if group, _, ok := strings.Cut(strings.TrimPrefix(line, "|"), "|"); ok {
			rows[group] = line + "\n"
		}
	}
	var b strings.Builder
	b.WriteString(valuePart + "\n" + rows["Server"])
	for range 1120 {
		b.WriteString(rows["SchedGroup"])
	}
	for range 800 {
		b.WriteString(rows["CPUClient"] + rows["VCPU"])
	}
	for group, n := range map[string]int{"LCPU": 56, "HiddenWorld": 336, "VMem": 111, "Path": 97, "SCSIDevice": 7, "NetPort": 13, "InterruptPerCPU": 4760, "CState": 112, "TState": 448} {
		b.WriteString(strings.Repeat(rows[group], n))
	}
	return b.String()
}

// BenchmarkParse parses a real dump, and the synthetic one. The interrupts and T-states are half of the rows.
func BenchmarkParse(b *testing.B) {
	for dump, text := range map[string]string{"real": "", "synthetic": bigDump(b)} {
		for groups, wanted := range map[string]Objects{"most": AllObjects &^ ObjectsOf(Vector, VectorCPU, TState), "all": AllObjects} {
			b.Run(dump+"/"+groups, func(b *testing.B) {
				if dump == "real" {
					text = shared(b, "api-fetchstats.dsv")
				}
				schema := exampleSchema(b)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := schema.Parse(text, wanted); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
