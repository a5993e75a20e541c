package vmfacts

import (
	"fmt"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// tuningPrefixes are the prefixes of the VMX keys that vperf may read. All other keys of extraConfig are dropped during
// conversion, because they can contain passwords and certificates.
var tuningPrefixes = []string{
	"sched.", "numa.", "monitor.", "monitor_control.", "cpuid.", "vmx.", "timetracker.", "pcipassthru", "mem.",
}

// notTuning are keys under those prefixes that name files.
var notTuning = []string{"sched.swap.derivedname", "sched.swap.dir", "vmx.log."}

// vnicTuning are the tuning keys after ethernetN.; the others define the NIC's identity and connection.
var vnicTuning = map[string]bool{
	"pnicfeatures": true, "ctxperdev": true, "udprss": true, "rssoffload": true,
	"coalescingscheme": true, "coalescingparams": true, "emurxmode": true, "intrmode": true,
	"maxtxqueues": true, "maxrxqueues": true, "rxdataringenabled": true, "txdataringenabled": true,
	"features": true, "pcislotnumber": true, "numanode": true, "virtualdev": true, "present": true,
	"uptcompatibility": true,
}

// IsTuning reports whether a VMX key may be kept. Case is ignored, as in ESXi.
func IsTuning(key string) bool {
	key = strings.ToLower(key)
	if attribute, ok := VnicAttribute(key); ok {
		return vnicTuning[attribute]
	}
	if key == "svga.present" {
		return true
	}
	return hasPrefix(key, tuningPrefixes) && !hasPrefix(key, notTuning)
}

// VnicAttribute returns pnicfeatures for ethernet0.pnicfeatures.
func VnicAttribute(key string) (string, bool) {
	rest, ok := strings.CutPrefix(key, "ethernet")
	if !ok {
		return "", false
	}
	number, attribute, ok := strings.Cut(rest, ".")
	return attribute, ok && number != "" && strings.Trim(number, "0123456789") == ""
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// tuningKeys returns the tuning keys of an extraConfig.
func tuningKeys(p *property.Props, all types.ArrayOfOptionValue) inventory.Fact[map[string]string] {
	keys := map[string]string{}
	for _, o := range all.OptionValue {
		if o == nil {
			continue
		}
		kv := o.GetOptionValue()
		if !IsTuning(kv.Key) {
			continue
		}
		if why := p.Undecoded(kv.Key, kv.Value); why != "" {
			return inventory.Unread[map[string]string](why)
		}
		keys[kv.Key] = vmxText(kv.Value)
	}
	return inventory.Known(keys)
}

// vmxText returns a value as in the VMX file; all known servers send text, though the API allows anything.
func vmxText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprintf("%v", v)
}

func fillVMX(p *property.Props, v *vm) {
	all := property.Read(p, "config.extraConfig", property.As[types.ArrayOfOptionValue], property.DefaultTo(types.ArrayOfOptionValue{}))
	v.VMX = property.Then(all, func(all types.ArrayOfOptionValue) inventory.Fact[map[string]string] { return tuningKeys(p, all) })
}
