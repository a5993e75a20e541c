package advice

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// vendorsOf loads vendors from texts, one vendor each.
func vendorsOf(t *testing.T, files ...string) *vendor.List {
	t.Helper()
	tree := fstest.MapFS{}
	for _, text := range files {
		id, _, _ := strings.Cut(strings.TrimPrefix(text, "id: "), "\n")
		tree["vendors/"+id+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	l, err := Load(Source{FS: tree, User: true})
	require.NoError(t, err)
	return l.Vendors()
}

func vendorText(id, match, values string) string {
	return fmt.Sprintf("id: %s\nname: %s\nmatch: %s\ndocument: {title: Guide, date: \"2024\"}\nvalues:\n%s", id, strings.ToUpper(id), match, values)
}

const (
	sampleSize = "host-option/Disk.QFullSampleSize"
	valueOf32  = "  - {set: host-option/Disk.QFullSampleSize, values: [32]}\n"
	valueOf16  = "  - {set: host-option/Disk.QFullSampleSize, values: [16]}\n"
)

// hostWithLUNs returns a host with a disk of each vendor of a list; "?" is a disk whose vendor is unread.
func hostWithLUNs(vendors ...string) *inventory.Host {
	h := &inventory.Host{}
	var luns []*inventory.LUN
	for i, v := range vendors {
		l := &inventory.LUN{Device: fmt.Sprintf("naa.%d", i), Local: inventory.Known(false), Vendor: inventory.Known(v + "  ")}
		if v == "?" {
			l.Vendor = inventory.Unread[string]("no permission")
		}
		luns = append(luns, l)
	}
	h.LUNs = inventory.Known(luns)
	return h
}

// TestVendorsAreAskedByTheHostsOwnDisks: named vendors have to agree, others count only if no vendor of the host's
// disks publishes the setting, and an unread fact gives an unknown only if it decides.
func TestVendorsAreAskedByTheHostsOwnDisks(t *testing.T) {
	vendors := vendorsOf(t,
		vendorText("acme", "[{vendor: ACME}]", valueOf32),
		vendorText("emca", "[{vendor: EMCA}]", valueOf16),
		vendorText("anybody", "[]", "  - {set: host-option/Disk.QFullSampleSize, values: [8], sources: 3}\n"))
	for _, c := range []struct {
		disks []string
		value string
		want  string
	}{
		{[]string{"acme"}, "32", "yes"},
		{[]string{"acme", "other"}, "32", "yes"},
		{[]string{"acme"}, "16", "no"},
		{[]string{"acme"}, "8", "no"}, // its own vendor says another
		{[]string{"other"}, "8", "yes"},
		{[]string{"other"}, "32", "no"},
		{nil, "8", "yes"},
		{[]string{"acme", "emca"}, "32", "no"}, // they do not agree
		{[]string{"?"}, "32", "unknown"},
		{[]string{"?"}, "8", "unknown"},
		{[]string{"?"}, "5", "no"}, // no vendor publishes it
		{[]string{"acme", "?"}, "32", "unknown"},
		{[]string{"acme", "?"}, "16", "no"},
	} {
		yes, missing := vendors.About(hostWithLUNs(c.disks...), sampleSize).Accepts(c.value)
		got := map[bool]string{true: "yes", false: "no"}[yes]
		if missing != nil {
			got = "unknown"
		}
		require.Equal(t, c.want, got, "%v %s", c.disks, c.value)
	}
	require.True(t, vendors.About(hostWithLUNs("acme", "emca"), sampleSize).Disagree())
	require.False(t, vendors.About(hostWithLUNs("acme"), sampleSize).Disagree())
	require.Equal(t, []string{"ACME: 32 (Guide, 2024)", "EMCA: 16 (Guide, 2024)"}, vendors.About(hostWithLUNs("acme", "emca"), sampleSize).Texts())
	require.Equal(t, []string{"ANYBODY: 8 (3 public sources)"}, vendors.About(hostWithLUNs(), sampleSize).Texts())

	unreadDisks := &inventory.Host{}
	_, missing := vendors.About(unreadDisks, sampleSize).Accepts("32")
	require.NotNil(t, missing)
	own := hostWithLUNs("acme")
	disks, _ := own.LUNs.Value()
	disks[0].Local = inventory.Known(true)
	yes, missing := vendors.About(own, sampleSize).Accepts("32")
	require.False(t, yes || missing != nil, "a disk in the host speaks for no array")
}

// TestVendorsOfReleases: a value published for some releases counts only there.
func TestVendorsOfReleases(t *testing.T) {
	vendors := vendorsOf(t, vendorText("acme", "[{vendor: ACME}]", "  - {set: host-option/Disk.QFullSampleSize, values: [32], from: \"6.7\", before: \"8.0\"}\n"))
	for version, want := range map[inventory.Version]bool{{Major: 6, Minor: 5}: false, {Major: 6, Minor: 7}: true, {Major: 7}: true, {Major: 8}: false} {
		h := hostWithLUNs("acme")
		h.Version = inventory.Known(version)
		yes, missing := vendors.About(h, sampleSize).Accepts("32")
		require.Nil(t, missing)
		require.Equal(t, want, yes, version)
	}
	_, missing := vendors.About(hostWithLUNs("acme"), sampleSize).Accepts("32")
	require.NotNil(t, missing)
	_, missing = vendors.About(hostWithLUNs("other"), sampleSize).Accepts("32")
	require.Nil(t, missing, "no disk is theirs, whatever the release")
}

// ruleWithVendors compiles a built-in rule with the test's own vendors.
func ruleWithVendors(t *testing.T, rule string, vendors ...string) *Ruleset {
	t.Helper()
	text, err := fs.ReadFile(rules.FS, rule)
	require.NoError(t, err)
	tree := fstest.MapFS{rule: &fstest.MapFile{Data: text}}
	articles, err := fs.Glob(rules.FS, articleFolder+"/*.yaml")
	require.NoError(t, err)
	for _, name := range articles {
		text, err := fs.ReadFile(rules.FS, name)
		require.NoError(t, err)
		tree[name] = &fstest.MapFile{Data: text}
	}
	for _, v := range vendors {
		id, _, _ := strings.Cut(strings.TrimPrefix(v, "id: "), "\n")
		tree["vendors/"+id+".yaml"] = &fstest.MapFile{Data: []byte(v)}
	}
	l, err := Load(Source{FS: tree})
	require.NoError(t, err)
	set, err := l.Select(Selection{})
	require.NoError(t, err)
	return set
}

// TestVendorsThatDisagree: two vendors on one host that publish different values give a note and no fix.
func TestVendorsThatDisagree(t *testing.T) {
	set := ruleWithVendors(t, "storage/queue-full-host.yaml",
		vendorText("acme", "[{vendor: ACME}]", valueOf32), vendorText("emca", "[{vendor: EMCA}]", valueOf16))
	judge := func(value int64, disks ...string) Finding {
		h := hostWithLUNs(disks...)
		h.Entity, h.Cloud = inventory.Entity{ID: "host-1", Name: "host-1"}, inventory.Known("")
		h.Options = inventory.Known(map[string]inventory.Option{
			"Disk.QFullSampleSize": {Value: inventory.LongValue(value)}, "Disk.QFullThreshold": {Value: inventory.LongValue(8)},
		})
		s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{h}}}}
		s.Link()
		result, err := Evaluate(t.Context(), s, set, Options{All: true})
		require.NoError(t, err)
		require.Len(t, result.Findings, 1)
		return *result.Findings[0]
	}
	f := judge(32, "acme", "emca")
	require.Equal(t, Fail, f.Outcome)
	require.Empty(t, f.Remedies)
	require.Contains(t, strings.Join(f.Notes, " "), "different values")
	require.Equal(t, Pass, judge(32, "acme").Outcome)
	require.Equal(t, Pass, judge(0, "acme", "emca").Outcome, "off is the default")
	f = judge(16, "acme")
	require.Equal(t, Fail, f.Outcome)
	to, _ := f.Remedies[0].To.Value()
	require.Equal(t, "32", to.Text, "the fix is the vendor's value, not the default")
}

// TestEveryPublishedSettingIsAsked: every published setting is used by a rule.
func TestEveryPublishedSettingIsAsked(t *testing.T) {
	l, err := Load(Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, fs.WalkDir(rules.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !vendor.IsFile(name) {
			b, err := fs.ReadFile(rules.FS, name)
			require.NoError(t, err)
			text.Write(b)
		}
		return err
	}))
	for _, v := range l.Vendors().All() {
		for _, x := range v.Values {
			asks := regexp.MustCompile(`vendors\.\w+\(\w+, "` + regexp.QuoteMeta(x.Set.Text) + `"`)
			require.True(t, asks.MatchString(text.String()), "no rule asks for %s of %s", x.Set.Text, v.ID)
		}
	}
}

// TestHostsWithPublishedValues: a host with all published values and a disk of that vendor has no finding about them
// above info, and none at all if the vendor's disk is recognized.
func TestHostsWithPublishedValues(t *testing.T) {
	l, err := Load(Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	set, err := l.Select(Selection{})
	require.NoError(t, err)
	seen := 0
	for _, v := range l.Vendors().All() {
		for _, release := range []inventory.Version{{Major: 6, Minor: 7}, {Major: 7, Update: 3}, {Major: 8, Update: 3}, {Major: 9, Update: 1}} {
			h := publishedHost(t, v, release)
			s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{h}, Datastores: []*inventory.Datastore{{
				Entity: inventory.Entity{ID: "ds", Name: "ds"}, HostIDs: inventory.Known([]string{h.ID}), VMCount: inventory.Known(int64(9)),
				Kind: inventory.Known(inventory.DatastoreVMFS), Extents: inventory.Known([]string{"naa.1"}),
			}}}}}
			s.Link()
			result, err := Evaluate(t.Context(), s, set, Options{})
			require.NoError(t, err)
			for _, f := range result.Findings {
				if f.Outcome != Fail || !speaksOf(f.Rule, v) {
					continue
				}
				seen++
				require.Equal(t, Info, f.Severity, "%s on %s: %s", f.Rule.ID, release, v.ID)
				require.Empty(t, v.Match, "%s on %s: %s", f.Rule.ID, release, v.ID)
			}
		}
	}
	t.Logf("%d findings at info about published values", seen)
}

// speaksOf reports whether a rule has a remedy for a setting of the vendor, or reads one.
func speaksOf(r *Rule, v *vendor.Vendor) bool {
	var text strings.Builder
	for _, e := range append(r.expressions(), r.Want) {
		text.WriteString(e.Source)
	}
	for _, m := range r.Remedy {
		text.WriteString(m.Set.Text + `"`)
	}
	for _, x := range v.Values {
		if strings.Contains(text.String(), x.Set.Text+`"`) {
			return true
		}
	}
	return false
}

// publishedHost returns a host of a release with the vendor's published values, and a shared disk of the vendor.
func publishedHost(t *testing.T, v *vendor.Vendor, release inventory.Version) *inventory.Host {
	t.Helper()
	named := map[inventory.Version]string{{Major: 6, Minor: 7}: "6.7", {Major: 7, Update: 3}: "7.0U3", {Major: 8, Update: 3}: "8.0U3", {Major: 9, Update: 1}: "9.0.1"}[release]
	options := map[string]inventory.Option{}
	for _, key := range inventory.OptionKeys() {
		d, _ := inventory.LookupOption(key)
		if era, ok := d.At(named); ok && !era.Absent {
			value := era.Default
			options[key] = inventory.Option{Value: value, Default: &value, Min: era.Min, Max: era.Max}
		}
	}
	l := &inventory.LUN{
		Device: "naa.1", Local: inventory.Known(false), Vendor: inventory.Known("ACME"), SSD: inventory.Known(true),
		PathPolicy: inventory.Known("VMW_PSP_RR"), ArrayType: inventory.Known("VMW_SATP_ALUA"), Paths: inventory.Known(int64(4)),
		ActivePaths: inventory.Known(int64(4)), DeadPaths: inventory.Known(int64(0)), QueueDepth: inventory.Known(int64(256)),
		OutstandingIOs: inventory.Known(int64(32)), RoundRobinIOs: inventory.Known(int64(1000)), RoundRobinType: inventory.Known("iops"),
		QueueFullSampleSize: inventory.Known(int64(0)), QueueFullThreshold: inventory.Known(int64(0)),
	}
	for _, m := range v.Match {
		l.Vendor = inventory.Known(m.Vendor)
	}
	h := &inventory.Host{
		Entity: inventory.Entity{ID: "host", Name: "host"}, Kind: inventory.Known(inventory.HostPhysical), Version: inventory.Known(release),
		CPUVendor: inventory.Known("intel"), PowerPolicy: inventory.Known("dynamic"), PowerHardware: inventory.Known("ACPI P-states"),
		LUNs: inventory.Known([]*inventory.LUN{l}), Options: inventory.Known(options), CPUScheduler: inventory.Known("systemDefault"),
	}
	h.VMs = inventory.Known([]*inventory.VM{})
	for i := range v.Values {
		x := &v.Values[i]
		yes, _ := x.IsFor(h)
		value := any(nil)
		if x.Least != nil {
			value = int(*x.Least)
		} else {
			value = x.Values[len(x.Values)-1]
		}
		if yes {
			publish(h, l, x.Setting, value)
		}
	}
	return h
}

// publish sets a value on a host or its disk.
func publish(h *inventory.Host, l *inventory.LUN, s inventory.Setting, value any) {
	n, _ := value.(int)
	switch s.Kind.Name {
	case "host-option":
		options, _ := h.Options.Value()
		o := options[s.Key]
		switch x := value.(type) {
		case int:
			o.Value = inventory.LongValue(int64(x))
		case bool:
			o.Value = inventory.BoolValue(x)
		}
		options[s.Key] = o
	case "lun-outstanding-ios":
		l.OutstandingIOs = inventory.Known(int64(n))
	case "lun-round-robin-ios":
		l.RoundRobinIOs = inventory.Known(int64(n))
	case "lun-queue-full-sample-size":
		l.QueueFullSampleSize = inventory.Known(int64(n))
	case "lun-path-policy":
		l.PathPolicy = inventory.Known(value.(string))
	case "power-policy":
		h.PowerPolicy = inventory.Known(value.(string))
	}
}
