package trial

import "io/fs"

// Library holds outcomes and guards, as read from files.
type Library struct {
	Outcomes []Outcome // by id
	Guards   []Guard   // in the order of their file
}

// Load reads all *.yaml files of a folder: guards.yaml has the list `guards`, every other file is one outcome. It
// reports every mistake with file, line and column, as [strictyaml.Errors].
func Load(fsys fs.FS) (*Library, error) { panic("not written yet") }

// For returns the outcomes that name a rule.
func (l *Library) For(rule string) []Outcome { panic("not written yet") }
