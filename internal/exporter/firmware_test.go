package exporter

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

const firmwareInfo = "esxi_adapter_firmware_info{"

// firmwareOf are the firmware versions on a page, by host and adapter.
func firmwareOf(t *testing.T, target *Target) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range series(t, textOf(t, target, module.Firmware)) {
		if strings.HasPrefix(name, firmwareInfo) {
			label := func(name, series string) string {
				_, rest, _ := strings.Cut(series, name+`="`)
				value, _, _ := strings.Cut(rest, `"`)
				return value
			}
			all[label("host", name)+" "+label("adapter", name)] = label("firmware", name)
		}
	}
	return all
}

// TestFirmware: the exported hosts are asked once an hour, also beside an audit that asks some of them for other facts.
func TestFirmware(t *testing.T) {
	s := onStage(t)
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Rules: []string{"pnic-ring"}})
	require.NoError(t, err)
	request := func() (audit.Request, error) { return audit.Request{Rules: set}, nil }
	for _, c := range []struct {
		modules []module.Name
		asks    bool
	}{
		{module.Default, false},
		{[]module.Name{module.Basic, module.Firmware}, true},
		{[]module.Name{module.Basic, module.Firmware, module.Audit}, true},
	} {
		config := TargetConfig{Modules: c.modules, Filter: Filter{Include: []Pattern{{Path: "/*/host/vsan/**"}}}}
		audits := len(c.modules) == 3
		if audits {
			config.Audit = request
		}
		target := s.target(t, config)
		st := s.drive(t, target)
		survey := func() int {
			before := s.callsToHosts()
			st.survey()
			return s.callsToHosts() - before
		}
		first := survey()
		if !c.asks {
			require.Zero(t, first, "%v", c.modules)
			continue
		}
		if !audits {
			require.Equal(t, 3*(1+2*2), first, "three hosts: the command line, and a description and a call for each kind of adapter")
		}
		require.True(t, collector(target, "firmware").Success, collector(target, "firmware").Err)
		require.Equal(t, 3, collector(target, "firmware").Collected)
		versions := firmwareOf(t, target)
		require.Equal(t, map[string]string{
			"host09.demo.local vmhba0": "25.5.9.0001", "host09.demo.local vmhba1": "12.8.614.16", "host09.demo.local vmhba2": "12.8.614.16",
			"host10.demo.local vmhba0": "25.5.9.0001", "host10.demo.local vmhba1": "12.8.614.16", "host10.demo.local vmhba2": "12.8.614.16",
			"host11.demo.local vmhba0": "25.5.9.0001", "host11.demo.local vmhba1": "12.4.243.11", "host11.demo.local vmhba2": "12.4.243.11",
		}, versions)
		survey() // the audit asks once more for what a host did not answer
		s.clock.forward(DefaultSurveyEvery)
		require.Zero(t, survey(), "the answers are kept")
		require.Equal(t, versions, firmwareOf(t, target))
		s.clock.forward(answersKept)
		require.Positive(t, survey(), "an hour is over")
		require.Equal(t, versions, firmwareOf(t, target))
	}
}

// TestFirmwareThatIsNotRead has no series, and is reported.
func TestFirmwareThatIsNotRead(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Hardware, module.Firmware}, Filter: Filter{Include: []Pattern{{Name: "host11.*"}}}})
	st := s.drive(t, target)
	s.breaks(func(method string) bool { return method == "esxcli storage san fc list" })
	st.survey()
	require.Equal(t, map[string]string{"host11.demo.local vmhba0": "25.5.9.0001"}, firmwareOf(t, target))
	got := collector(target, "firmware")
	require.False(t, got.Success)
	require.Equal(t, []int{1, 0}, []int{got.Expected, got.Collected})
	require.Contains(t, got.Err, "host11.demo.local: ")
	require.True(t, collector(target, "hardware").Success, "its series do not depend on calls to hosts")
	s.breaks(nil)
	st.survey()
	require.Len(t, firmwareOf(t, target), 3, "it is asked again")
	require.True(t, collector(target, "firmware").Success, collector(target, "firmware").Err)
}

// TestVersionsOfAnAdapterAreKept while it is the same adapter under the same driver.
func TestVersionsOfAnAdapterAreKept(t *testing.T) {
	var needs inventory.Needs
	needs.AddFact("HBA.firmwareVersion")
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	made := func(device, driver string) (*inventory.Host, *inventory.HBA) {
		b := &inventory.HBA{Device: device, Driver: inventory.Known(driver), FirmwareVersion: inventory.Unread[string](inventory.PerHost)}
		return &inventory.Host{Entity: inventory.Entity{ID: "host-1"}, BootTime: inventory.Known(at), HBAs: inventory.Known([]*inventory.HBA{b})}, b
	}
	a := new(answers)
	h, b := made("vmhba1", "lpfc")
	gaps := open(h)
	require.Len(t, gaps, 1)
	b.FirmwareVersion = inventory.Known("12.8")
	a.keep(h, gaps, needs, at)
	for adapter, kept := range map[[2]string]bool{{"vmhba1", "lpfc"}: true, {"vmhba2", "lpfc"}: false, {"vmhba1", "qlnativefc"}: false} {
		h, b := made(adapter[0], adapter[1])
		require.Equal(t, kept, len(a.fill([]*inventory.Host{h}, needs, at)) == 0, adapter)
		_, known := b.FirmwareVersion.Value()
		require.Equal(t, kept, known, adapter)
	}
}
