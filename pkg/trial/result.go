package trial

// Verdict is the answer of a trial.
type Verdict string

// Verdicts.
const (
	Keep         Verdict = "keep"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference that matters"
	Undecided    Verdict = "undecided"
	Observed     Verdict = "observed" // an estimate by a design that proves nothing: too few hosts, or before and after
)

// StopKind says why a trial ended.
type StopKind string

// Reasons to end. After all but the first two, the old values are restored whatever the verdict; see [Result.MayKeep].
const (
	StopPlanned     StopKind = ""            // its last pair is complete
	StopEarly       StopKind = "early"       // the e-value decides
	StopGuard       StopKind = "guard"       // a guard tripped
	StopEvent       StopKind = "event"       // an event of kind stops
	StopInterrupted StopKind = "interrupted" // the context ended
	StopForeign     StopKind = "foreign"     // somebody else changed the setting
	StopSwitch      StopKind = "switch"      // switching failed
	StopSamples     StopKind = "samples"     // sampling failed or ended
	StopEvents      StopKind = "events"      // reading events failed
	StopCaller      StopKind = "caller"      // tell returned an error
)

// Estimate is an effect with its uncertainty, on the scale of the outcome's form.
type Estimate struct {
	Mean          float64 `json:"mean"`
	Low           float64 `json:"low"` // of the 95 % interval
	High          float64 `json:"high"`
	HodgesLehmann float64 `json:"hodgesLehmann"`
	SD            float64 `json:"sd"` // of the differences
	N             int     `json:"n"`  // differences; of randomised designs: units
	Form          Form    `json:"form"`
	Base          float64 `json:"base"` // of differences: the baseline that fractions refer to
}

// Result is what a trial says so far.
type Result struct {
	Verdict   Verdict       `json:"verdict"`
	Claim     string        `json:"claim"` // what the design allows to say: "causal effect", "observed", "before/after, not a proof"
	Estimate  Estimate      `json:"estimate"`
	PerUnit   []Estimate    `json:"perUnit"`           // by unit
	Treated   float64       `json:"treated"`           // the outcome with the change, as people see it
	Untreated float64       `json:"untreated"`         // without
	P         float64       `json:"p"`                 // exact sign flip; of randomised designs: Welch
	E         float64       `json:"e"`                 // the e-value now
	EMax      float64       `json:"eMax"`              // the largest so far
	EValues   []float64     `json:"eValues,omitempty"` // after each difference
	Harm      []HarmValue   `json:"harm,omitempty"`
	Pairs     []PairResult  `json:"pairs"`
	Used      int           `json:"used"` // differences that count
	Dropped   int           `json:"dropped"`
	MorePairs int           `json:"morePairs,omitempty"` // of undecided: pairs that are missing, by the noise so far
	WorkMoved *Correlation  `json:"workMoved,omitempty"` // of work with the coin
	Others    []OtherResult `json:"others,omitempty"`

	TookEffect *TookEffect `json:"tookEffect,omitempty"` // nil: of the past

	Trips   []Trip   `json:"trips,omitempty"`
	Stop    StopKind `json:"stop,omitempty"`    // why it ended
	Stopped string   `json:"stopped,omitempty"` // the same in words
	Notes   []string `json:"notes,omitempty"`
}

// MayKeep reports whether the change may stay in force if the user agrees: the verdict is keep, and the trial came to its planned end or was
// ended early by the evidence. A reason that this version does not know restores the old values.
func (res *Result) MayKeep() bool {
	return res.Verdict == Keep && (res.Stop == StopPlanned || res.Stop == StopEarly)
}

// PairResult is one unit's pair.
type PairResult struct {
	Pair       int     `json:"pair"`
	Unit       int     `json:"unit"`
	Treated    float64 `json:"treated"` // on the scale of the form
	Untreated  float64 `json:"untreated"`
	Difference float64 `json:"difference"`
	Dropped    string  `json:"dropped,omitempty"`
}

// HarmValue is the one-sided e-value of an outcome or a guard.
type HarmValue struct {
	Of string  `json:"of"`
	E  float64 `json:"e"`
}

// Correlation says whether the change moved the work itself.
type Correlation struct {
	R      float64 `json:"r"`      // of the differences of log work with the coin
	P      float64 `json:"p"`      // sign flip
	Effect float64 `json:"effect"` // of the change on the work, as a fraction
}

// OtherResult describes another outcome; it decides nothing.
type OtherResult struct {
	Outcome   string   `json:"outcome"`
	Estimate  Estimate `json:"estimate"`
	P         float64  `json:"p"`    // not corrected
	Holm      float64  `json:"holm"` // corrected for the number of outcomes
	Treated   float64  `json:"treated"`
	Untreated float64  `json:"untreated"`
}
