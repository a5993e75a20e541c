package trial

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Form says how an outcome is computed from its samples and compared.
type Form string

// Forms of outcomes.
const (
	Ratio      Form = "ratio"      // logarithm of Σ cost / Σ work; effects are fractions
	Difference Form = "difference" // Σ cost / Σ work, or cost by second; for counters that are often zero
	Log1p      Form = "log1p"      // mean of log(1 + x) of the samples, x is cost, or cost / work
)

// Better is the direction in which an outcome improves.
type Better string

// Directions.
const (
	Down Better = "down"
	Up   Better = "up"
)

// Fold combines the rows of one sample.
type Fold string

// Folds.
const (
	Sum  Fold = "sum"
	Mean Fold = "mean"
	Max  Fold = "max"
	Min  Fold = "min"
)

// Only restricts the rows of an object.
type Only string

// Restrictions.
const (
	EveryRow Only = ""        // all rows of the unit
	Uplinks  Only = "uplinks" // ports of physical NICs
	VMRows   Only = "vms"     // rows of virtual machines
)

// Term is a figure of one sample of a unit: rows of an object, folded into one number.
type Term struct {
	Object  string  `json:"object" yaml:"object"`             // as pkg/esxtop names it: host, group, port, device
	Metric  string  `json:"metric" yaml:"metric"`             // id in the catalogue
	Only    Only    `json:"only,omitempty" yaml:"only"`       // which rows
	Weight  string  `json:"weight,omitempty" yaml:"weight"`   // a metric of the same row to multiply with: of latencies, the commands
	Needs   string  `json:"needs,omitempty" yaml:"needs"`     // a metric of the same row that has to be AtLeast
	AtLeast float64 `json:"atLeast,omitempty" yaml:"atLeast"` // rows with less do not count
	PerVCPU bool    `json:"perVCPU,omitempty" yaml:"perVCPU"` // of groups: divide by the number of vCPUs
	Fold    Fold    `json:"fold" yaml:"fold"`                 // default sum
	Scale   float64 `json:"scale" yaml:"scale"`               // default 1
}

// Outcome is a figure that a trial compares: a cost per unit of work, as data.
type Outcome struct {
	ID     string `json:"id" yaml:"id"`
	Title  string `json:"title" yaml:"title"`
	Unit   string `json:"unit" yaml:"unit"` // of the value that people see
	Better Better `json:"better" yaml:"better"`
	Form   Form   `json:"form" yaml:"form"`
	Cost   []Term `json:"cost" yaml:"cost"`
	Work   []Term `json:"work,omitempty" yaml:"work"`

	Scopes       []inventory.Scope `json:"scopes" yaml:"scopes"`                       // kinds of units that have it
	TimeConstant time.Duration     `json:"-" yaml:"timeConstant"`                      // in which the effect settles; timeConstantSeconds in JSON
	EffectVaries float64           `json:"effectVaries,omitempty" yaml:"effectVaries"` // with the load: standard deviation of an effect over pairs, as a fraction of it
	Counters     string            `json:"counters,omitempty" yaml:"counters"`         // "esxtop": needs the Esxtop service
	Rules        []string          `json:"rules,omitempty" yaml:"rules"`               // that it suits
	First        []string          `json:"-" yaml:"first"`                             // those of Rules whose best outcome it is
	Shows        []string          `json:"-" yaml:"shows"`                             // those of Rules whose change must move it by taking effect
	Moves        Better            `json:"moves,omitempty" yaml:"moves"`               // with Shows: up or down
	About        string            `json:"about" yaml:"about"`
	Source       string            `json:"source" yaml:"source"`
}

func (o *Outcome) objects() (s esxtop.Objects) {
	for _, list := range [][]Term{o.Cost, o.Work} {
		for i := range list {
			s |= list[i].objects()
		}
	}
	return s
}

func (t *Term) objects() esxtop.Objects {
	if o, ok := objectNamed(t.Object); ok {
		return esxtop.ObjectsOf(o)
	}
	return 0
}

// objectNamed returns the object with the name that pkg/esxtop gives it.
func objectNamed(name string) (esxtop.Object, bool) {
	for o := range esxtop.NumObjects {
		if o.String() == name {
			return o, true
		}
	}
	return 0, false
}

// Suits reports whether the outcome can be measured on a kind of unit.
func (o *Outcome) Suits(kind inventory.Scope) bool {
	return slices.Contains(o.Scopes, kind)
}

// outcomeJSON writes durations in seconds.
type outcomeJSON struct {
	*plainOutcome
	TimeConstant float64 `json:"timeConstantSeconds"`
}

type plainOutcome Outcome

// MarshalJSON writes the time constant in seconds.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(outcomeJSON{(*plainOutcome)(&o), o.TimeConstant.Seconds()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Outcome) UnmarshalJSON(text []byte) error {
	in := outcomeJSON{plainOutcome: (*plainOutcome)(o)}
	err := json.Unmarshal(text, &in)
	o.TimeConstant = seconds(in.TimeConstant)
	return err
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
