package inventory

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a product version as vSphere reports it: 6.7.0 for every update of 6.7, 7.0.3 for 7.0 Update 3.
type Version struct{ Major, Minor, Update int }

// ParseVersion reads "7", "7.0" or "7.0.3"; further parts are refused.
func ParseVersion(s string) (Version, error) {
	parts := strings.Split(s, ".")
	var n [3]int
	if len(parts) > len(n) {
		return Version{}, fmt.Errorf("version %q: want at most three parts, as 7.0.3", s)
	}
	for i, p := range parts {
		x, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return Version{}, fmt.Errorf("version %q: want digits and points, as 7.0.3", s)
		}
		n[i] = int(x)
	}
	return Version{n[0], n[1], n[2]}, nil
}

// AtLeast reports whether v is o or newer.
func (v Version) AtLeast(o Version) bool {
	if v.Major != o.Major {
		return v.Major > o.Major
	}
	if v.Minor != o.Minor {
		return v.Minor > o.Minor
	}
	return v.Update >= o.Update
}

// String formats the version as vSphere does.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Update) }

// MarshalText formats the version as vSphere does.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the output of MarshalText.
func (v *Version) UnmarshalText(b []byte) error {
	p, err := ParseVersion(string(b))
	if err == nil {
		*v = p
	}
	return err
}
