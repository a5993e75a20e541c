package session

// For comparison in external tests.
const Mask = mask

var (
	Thumbprint256 = thumbprint256
	Colons        = colons
)

// SessionFile returns the file with the endpoint's saved session.
func (e Endpoint) SessionFile() string { return e.sessionFile() }

// SetMaxAnswer sets the limit of an answer in bytes, and returns the limit before.
func SetMaxAnswer(limit int64) (before int64) {
	before, maxAnswer = maxAnswer, limit
	return before
}
