package inventory

import (
	"fmt"
	"strings"
	"sync"
)

// NewestRelease returns the last release of the option table, such as 9.0.1.
func NewestRelease() string {
	all := optionTable().releases
	return all[len(all)-1]
}

// ReleaseSpan returns the releases of the option table, such as "from 6.0 to 9.0".
func ReleaseSpan() string {
	return "from " + releaseLine(optionTable().releases[0]) + " to " + releaseLine(NewestRelease())
}

// releaseLine returns the major and minor number of a release: 7.0 for 7.0U3r.
func releaseLine(release string) string {
	v, err := releaseVersion(release)
	if err != nil {
		panic(err) // the table is part of the binary and a test reads it
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// newestVersion returns that release as hosts report it.
var newestVersion = sync.OnceValue(func() Version {
	v, err := releaseVersion(NewestRelease())
	if err != nil {
		panic(err) // the table is part of the binary and a test reads it
	}
	return v
})

// releaseVersion returns the version that hosts of a release report: 7.0.3 for 7.0U3r.
func releaseVersion(release string) (Version, error) {
	name, update, updated := strings.Cut(release, "U")
	if updated {
		name += "." + strings.TrimRight(update, "abcdefghijklmnopqrstuvwxyz")
	}
	return ParseVersion(name)
}

// NewerThanTables reports whether a release is newer than the option table.
func (v Version) NewerThanTables() bool { return v != newestVersion() && v.AtLeast(newestVersion()) }
