package inventory_test

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// A fact is known, absent or unread. It implements fmt.Stringer.
func ExampleFact() {
	host := inventory.Host{
		Cores:     inventory.Known(int64(64)),
		ClusterID: inventory.Absent[string](),
		VSAN:      inventory.Unread[bool]("no permission"),
	}
	fmt.Println(host.Cores, host.ClusterID, host.VSAN)

	if cores, known := host.Cores.Value(); known {
		fmt.Println(cores, "cores")
	}
	// Output:
	// 64 absent unread (no permission)
	// 64 cores
}

// A snapshot is saved to a file. Loading it restores its facts and links its objects.
func ExampleLoad() {
	saved := `{"schema": "vperf.snapshot/v1", "vcenters": [{"id": "vc", "name": "vc.example.com", "whole": true,
		"hosts": [{"id": "host-1", "name": "esx01.example.com", "path": "/dc/host/esx01", "cores": 64}]}]}`
	s, err := inventory.Load(strings.NewReader(saved))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range s.VCenters[0].Hosts {
		fmt.Println(h.Name, h.Cores, h.VSAN)
	}
	// Output:
	// esx01.example.com 64 unread
}

// A setting has an address. It has an activation and a minimum approval.
func ExampleLookupSetting() {
	s, err := inventory.LookupSetting("host-option/Net.UseHwTSO")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s, s.Type(), s.Activation(), s.Consent())

	_, err = inventory.LookupSetting("host-option/Net.UseHwTSOO")
	fmt.Println(err)
	// Output:
	// host-option/Net.UseHwTSO long live named
	// no release from 6.0 to 9.0 has a host option "Net.UseHwTSOO"
}
