package expr

import (
	"regexp"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// olderGuest reports that one guest id is an older release of the same family than another: vmkernel6Guest than vmkernel65Guest.
func olderGuest(a, b ref.Val) ref.Val {
	family, release := guestRelease(string(a.(types.String)))
	other, than := guestRelease(string(b.(types.String)))
	return types.Bool(family == other && release > 0 && release < than)
}

// guestParts are a guest id's family, release and what follows: rhel, 8, _64Guest.
var guestParts = regexp.MustCompile(`^([A-Za-z]+?)(\d+)((?:srvNext|srv|Server)?)(.*)$`)

// windowsServers are the releases of Windows Server behind ids that do not have the year, and those whose id has the year of the
// release before.
var windowsServers = map[string]float64{
	"7Server": 2008, "8Server": 2012, "9Server": 2016, "2019srv": 2019, "2019srvNext": 2022, "2022srvNext": 2025,
}

// guestRelease takes a guest id apart. The release is 0 where the id has none.
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
