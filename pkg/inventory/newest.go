package inventory

import (
	"strings"
	"sync"
)

// NewestRelease is the last release of the option table, as people name it.
func NewestRelease() string {
	all := optionTable().releases
	return all[len(all)-1]
}

// newestVersion is that release as hosts report it.
var newestVersion = sync.OnceValue(func() Version {
	v, err := releaseVersion(NewestRelease())
	if err != nil {
		panic(err) // the table is part of the binary and a test reads it
	}
	return v
})

// releaseVersion is the version that hosts of a release report: 7.0.3 for 7.0U3r.
func releaseVersion(release string) (Version, error) {
	name, update, updated := strings.Cut(release, "U")
	if updated {
		name += "." + strings.TrimRight(update, "abcdefghijklmnopqrstuvwxyz")
	}
	return ParseVersion(name)
}

// NewerThanTables reports a release that the option table does not know yet.
func (v Version) NewerThanTables() bool { return v != newestVersion() && v.AtLeast(newestVersion()) }
