package trial

// Guard is a counter that stops the trial if the change harms somebody.
//
// Each guard is evaluated in four ways: hard, every sample; soft, every block, against units without the change; harm,
// by an e-process over pairs; and, if Starts is set, at the first sample above 0.
type Guard struct {
	ID     string   `json:"id" yaml:"id"`
	Title  string   `json:"title" yaml:"title"`
	Unit   string   `json:"unit" yaml:"unit"`
	Term   Term     `json:"term" yaml:"term"`
	Floor  float64  `json:"floor,omitempty" yaml:"floor"`   // values up to it are never alarming, whatever the baseline
	Starts bool     `json:"starts,omitempty" yaml:"starts"` // trips at once if the baseline hour was 0 throughout: swapping
	Limit  *float64 `json:"limit,omitempty" yaml:"-"`       // given by the user, instead of the baseline's
	Below  bool     `json:"below,omitempty" yaml:"-"`       // with Limit: trouble is below it
	Text   string   `json:"text,omitempty" yaml:"-"`        // as the user typed it
}

// Trip is a guard that stopped the trial.
type Trip struct {
	Guard string  `json:"guard"` // its id, or "event"
	How   string  `json:"how"`   // hard, soft, harm, starts, event
	Unit  int     `json:"unit"`  // -1: all
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Text  string  `json:"text"`
}

// GuardReading is the current distance of a guard from its limit.
type GuardReading struct {
	Guard string  `json:"guard"`
	Unit  int     `json:"unit"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Known bool    `json:"known"`
}
