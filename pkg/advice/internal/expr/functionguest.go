package expr

import (
	"regexp"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// olderGuest reports whether guest id a is an older release of the same family as b, such as vmkernel6Guest and
// vmkernel65Guest.
func olderGuest(a, b ref.Val) ref.Val {
	family, release := guestRelease(string(a.(types.String)))
	other, than := guestRelease(string(b.(types.String)))
	return types.Bool(family == other && release > 0 && release < than)
}

// guestParts splits a guest id into family, release and suffix: rhel, 8, _64Guest.
var guestParts = regexp.MustCompile(`^([A-Za-z]+?)(\d+)((?:srvNext|srv|Server)?)(.*)$`)

// windowsServers maps guest ids of Windows Server to releases, for ids without a year and ids with the year of the
// previous release.
var windowsServers = map[string]float64{
	"7Server": 2008, "8Server": 2012, "9Server": 2016, "2019srv": 2019, "2019srvNext": 2022, "2022srvNext": 2025,
}

// guestRelease splits a guest id. The release is 0 if the id has none.
func guestRelease(id string) (family string, release float64) {
	m := guestParts.FindStringSubmatch(id)
	if m == nil || strings.HasPrefix(m[2], "64") {
		return id, 0
	}
	family, digits, kind := m[1], m[2], m[3]
	if year, server := windowsServers[digits+kind]; server && family == "windows" {
		return "windowsServer", year
	}
	if family == "vmkernel" && len(digits) > 1 && digits[0] >= '3' { // 65 is 6.5, 10 is 10
		digits = digits[:1] + "." + digits[1:]
	}
	release, _ = strconv.ParseFloat(digits, 64)
	return family, release
}
