package advice

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Fingerprint tells a finding from all others. It stays when the name of its object, its severity, its outcome or what
// was measured change: baselines match by it, ours and those of other tools.
func (f *Finding) Fingerprint() string { return fingerprint(f.Rule.ID, f.Object) }

func fingerprint(rule string, o inventory.Ref) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{rule, o.VCenter, string(o.Kind), o.ID}, "\x00")))
	return hex.EncodeToString(sum[:])
}
