package session

// What tests from outside compare with.
const Mask = mask

var (
	Thumbprint256 = thumbprint256
	Colons        = colons
)

// SessionFile is where the endpoint's session is kept.
func (e Endpoint) SessionFile() string { return e.sessionFile() }
