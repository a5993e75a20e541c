package inventory

import (
	"fmt"
	"slices"
	"strings"
)

// Newest returns the last release of the table, such as 9.0.1.
func (t *OptionTable) Newest() string { return t.releases[len(t.releases)-1] }

// Newer reports whether a version is newer than the table.
func (t *OptionTable) Newer(v Version) bool {
	newest, _ := releaseVersion(t.Newest()) // the names of a table's releases are valid
	return v != newest && v.AtLeast(newest)
}

// ReleasesOf lists the releases of the table whose hosts report a version. Hosts of 6.x report the same version for all updates.
func (t *OptionTable) ReleasesOf(v Version) []string {
	return slices.DeleteFunc(t.Releases(), func(name string) bool {
		r, _ := releaseVersion(name)
		if r.Major < 7 {
			return r.Major != v.Major || r.Minor != v.Minor
		}
		return r != v
	})
}

// NewestRelease returns the last release of the shipped table.
func NewestRelease() string { return ShippedOptions().Newest() }

// ReleaseSpan returns the releases of the shipped table, such as "from 6.0 to 9.0".
func ReleaseSpan() string {
	return "from " + releaseLine(ShippedOptions().releases[0]) + " to " + releaseLine(NewestRelease())
}

// releaseLine returns the major and minor number of a release: 7.0 for 7.0U3r.
func releaseLine(release string) string {
	v, _ := releaseVersion(release)
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// releaseVersion returns the version that hosts of a release report: 7.0.3 for 7.0U3r.
func releaseVersion(release string) (Version, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	name, update, updated := strings.Cut(strings.TrimRight(release, letters), "U")
	if updated {
		name += "." + update
	}
	return ParseVersion(name)
}

// NewerThanTables reports whether a release is newer than the shipped option table.
func (v Version) NewerThanTables() bool { return ShippedOptions().Newer(v) }
