package exporter

// What others of this package bring: this file goes when they are there.

// ModuleError is a module that a scrape asks for and the target does not collect.
type ModuleError struct {
	Target    string
	Module    Module
	Collected []Module
}

// Error says what to put into the config.
func (e *ModuleError) Error() string {
	return "target " + e.Target + " does not collect module " + string(e.Module)
}

const notYet = "it has not been asked yet"

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
