package esxtop_test

import (
	"fmt"
	"log"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// A metric has its place in esxtop, its formula and its threshold.
func ExampleLookup() {
	ready := esxtop.Lookup("cpu.ready")
	fmt.Println(ready.Column, "in", ready.Unit)
	fmt.Println(ready.Formula)
	fmt.Println(ready.PrometheusName(esxtop.Group))
	fmt.Println(ready.Threshold.Warn, "per vCPU:", ready.Threshold.Word)
	// Output:
	// %RDY in %
	// Δ VCPU.ReadyTimeInUsec / Δt × 100
	// esxi_vm_cpu_ready_seconds_total
	// 5 per vCPU: ready
}

// A Deriver converts each answer of the Esxtop service, with the previous one, to a frame.
func ExampleDeriver() {
	schema, err := esxtop.ParseSchema("|Server|TimeStampInUsec,U64|Time,S64|\n|PCPU|NumOfLCPUs,U32|NumOfCores,U32|\n|LCPU|LCPUID,U32|UsedTimeInUsec,U64|HaltTimeInUsec,U64|\n")
	if err != nil {
		log.Fatal(err)
	}
	var d esxtop.Deriver
	for _, answer := range []string{
		"==COUNTER-VALUE==\n|Server|1000000|1700000000|\n|PCPU|1|1|\n|LCPU|0|100000|500000|\n",
		"==COUNTER-VALUE==\n|Server|6000000|1700000005|\n|PCPU|1|1|\n|LCPU|0|2100000|3000000|\n",
	} {
		sample, err := schema.Parse(answer, esxtop.AllObjects)
		if err != nil {
			log.Fatal(err)
		}
		frame := d.Frame(sample, esxtop.ObjectsOf(esxtop.PCPU))
		used, ok := frame.Rows(esxtop.PCPU)[0].Value(esxtop.Lookup("pcpu.used"))
		fmt.Println(frame.Interval, used, ok)
	}
	// Output:
	// 0s 0 false
	// 5s 40 true
}

// A threshold is evaluated against a row: a VM's by its vCPUs, and never the host's own worlds.
func ExampleMetric_Judge() {
	vm := esxtop.NewRow(esxtop.Group, "7001", "web01")
	vm.VM, vm.VCPUs = true, 4
	ready := esxtop.Lookup("cpu.ready")
	vm.Set(ready, 24)
	fmt.Println(ready.Judge(&vm) == esxtop.Warning)
	vm.VCPUs = 8
	fmt.Println(ready.Judge(&vm) == esxtop.Unremarkable)
	// Output:
	// true
	// true
}

// A panel lists the columns that esxtop shows.
func ExamplePanelOf() {
	panel := esxtop.PanelOf('c')
	fmt.Println(panel.Title, panel.DefaultFields())
	for _, column := range panel.Field('G').Columns {
		fmt.Print(column.Label, " ")
	}
	// Output:
	// CPU ABcDEFghijk
	// SWTCH/s MIG/s QEXP/s WAKE/s
}

func ExampleConversion_Apply() {
	ready := esxtop.Lookup("cpu.ready").Perf[0]
	fmt.Println(ready.Counter, ready.As.Apply(1000, 20*time.Second))
	// Output:
	// cpu.ready.summation 5
}
