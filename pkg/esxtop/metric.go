package esxtop

import "time"

// Metric is one figure of esxtop: an entry of the catalogue. Columns on the screen, counters of the batch CSV, names
// for Prometheus, the lookup in the PerformanceManager and docs/metrics.md all come from it.
type Metric struct {
	ID      string   // as rules, flags and docs name it: cpu.ready
	Objects []Object // that have it
	Column  string   // on esxtop's screen: %RDY; empty: esxtop shows none
	Counter string   // in the batch CSV: % Ready; empty: not written
	Unit    Unit     // of Row.Value
	Kind    Kind
	Formula Formula // from the raw fields of the Esxtop service, or from other metrics
	Perf    []Perf  // where the PerformanceManager has it; empty: nowhere

	About      string     // its meaning, in one or two sentences
	Threshold  *Threshold // when it needs attention; nil: unknown
	Prometheus Prometheus // as the exporter names it; empty: not exported

	Batch []BatchCounter // its columns in the batch CSV
	Live  []string       // live counters of rules that are computed from it
	Facts []Fact         // live counters that have its value

	per          string // of means: the metric of the row that counts the operations by second; empty: none does
	zeroIsNone   bool   // vSphere writes 0 if the figure does not exist
	ofNIC        bool   // of the physical NIC behind a port
	perfComputed bool   // frames of the PerformanceManager have it, although none of its counters has its name
	stem         string // of its name in Prometheus: the object comes before it, the unit behind it; empty: not exported
	digits       *int   // decimals on the screen, where these do not follow from kind and unit
	screen       []screenPlace
	sorts        []string // panels and keys that sort by it: cU

	counts *Metric      // per
	of     []*Metric    // the inputs of the formula, if they are other metrics
	slot   [objects]int // where rows of an object keep it, plus one; 0 is nowhere
}

// Kind says how a figure is computed, and so when it is missing.
type Kind int

// Kinds of figures. All but Gauge, Flag and Text take two samples.
const (
	Gauge Kind = iota // as it is at the moment
	Rate              // a difference by second
	Share             // a difference of times in percent of the interval
	Mean              // a difference by operation; there is none without operations
	Delta             // a difference between two samples
	Flag              // 0 or 1, shown as N or Y
	Text              // words: Row.Text
)

var kinds = [...]string{"gauge", "rate", "share", "mean", "delta", "flag", "text"}

// Unit is the unit of a figure.
type Unit string

// Units. A megabyte is 2^20 bytes and a megabit 2^20 bits, as esxtop has them.
const (
	Number     Unit = "number"
	Percent    Unit = "%"
	PerSecond  Unit = "1/s"
	MB         Unit = "MB"
	MBps       Unit = "MB/s"
	Mbps       Unit = "Mb/s"   // of 2^20 bits
	LinkMbps   Unit = "Mbit/s" // of 10^6 bits, as links are sold
	Seconds    Unit = "s"
	Millisec   Unit = "ms"
	Microsec   Unit = "µs"
	MHz        Unit = "MHz"
	Watt       Unit = "W"
	JouleRate  Unit = "J/s"
	Celsius    Unit = "°C"
	Bytes      Unit = "B"
	Ratio      Unit = "ratio"
	Words      Unit = "" // of texts
	NodeBits   Unit = "bit mask of NUMA nodes"
	StateWords Unit = "0 high, 1 clear, 2 soft, 3 hard, 4 low"
)

var units = []Unit{
	Number, Percent, PerSecond, MB, MBps, Mbps, LinkMbps, Seconds, Millisec, Microsec, MHz, Watt, JouleRate, Celsius, Bytes, Ratio, NodeBits, StateWords,
}

// BatchCounter is a counter of the batch CSV.
type BatchCounter struct {
	Groups  []string // nil: those that the metric's objects have
	Text    string
	Default bool // written without -a as well
	Whole   bool // without decimals
	First   bool // before the others of its group
}

// Fact is a live counter of rules that has a metric's value.
type Fact struct {
	Scope, Name string
	As          FactWay
	By          *Metric  // has to be high enough, per second, for the figure to be meaningful; nil: no condition
	Else        *Metric  // used if the source does not have the metric; nil: none
	With        []Object // other objects that sources make the figure of
	OnNodes     bool     // hosts with one NUMA node have none

	by, orElse string
}

// FactWay is how a figure is converted to a live counter.
type FactWay int

// Ways. Sums and the worst are of all devices of a host.
const (
	FactAsIs FactWay = iota
	FactPerVCPU
	FactInKB // of MB
	FactSum
	FactWorst
)

var factWays = [...]string{"is", "per vCPU", "KB", "sum", "worst"}

// Perf is a metric's counter in the PerformanceManager.
type Perf struct {
	Counter string // group.name.rollup
	As      Conversion
	On      []Object // whose rows it fills; nil: all of the metric's
}

// Conversion turns a value of the PerformanceManager into the unit of a metric.
type Conversion int

// Conversions.
const (
	asIs            Conversion = iota
	hundredths                 // percent, which comes in hundredths
	msOfInterval               // milliseconds of the interval: percent
	perInterval                // a sum over the interval: by second
	kb                         // kB: MB
	kbpsToMBps                 // kB/s: MB/s
	kbpsToMbps                 // kB/s: megabits of 2^20 by second
	hundredthsOfOne            // percent in hundredths: 1 is 100 %
)

var conversions = [...]string{"is", "hundredths", "ms of the interval", "sum of the interval", "KB", "KB/s", "KB/s to Mb/s", "hundredths of 1"}

// Apply converts a value over an interval.
func (c Conversion) Apply(value int64, interval time.Duration) float64 {
	v := float64(value)
	switch c {
	case hundredths:
		return v / 100
	case msOfInterval:
		return v / 1000 / interval.Seconds() * 100
	case perInterval:
		return v / interval.Seconds()
	case kb, kbpsToMBps:
		return v / 1024
	case kbpsToMbps:
		return v / 1024 * 8
	case hundredthsOfOne:
		return v / 10_000
	}
	return v
}

// Prometheus is a metric of the exporter.
type Prometheus struct {
	// Name is without the object's prefix, which Metric.PrometheusName adds: cpu_ready_seconds_total.
	Name string
	// Counter is true for a growing sum: of a gauge its value, of all others the values of all intervals, each
	// multiplied by the interval in seconds.
	Counter bool
	Scale   float64 // from the metric's unit to the base unit; of sums: to base units by second
}

// Threshold is a rule of thumb, with its source.
type Threshold struct {
	Warn, Critical float64 // in the metric's unit; Critical may be 0: there is none
	Below          bool    // trouble is below, not above
	PerVCPU        bool    // the figure of a group is divided by its vCPUs first
	Needs          string  // a metric of the same row that has to be AtLeast that value: the latency of an idle disk is meaningless
	AtLeast        float64
	Word           string // the name of the condition: contention
	Action         string // what to check
	Source         string
}

// screenPlace is a field of a panel that a metric has a column in.
type screenPlace struct {
	field    string // the panel's key, and the letter
	each     Object // below the panel's rows; Host: none
	label    string // another than the metric's column
	decimals int
	fixed    bool   // decimals are given
	beside   string // the metric whose column it shares: that of rows of other objects
}
