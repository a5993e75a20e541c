package report_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/doc"
)

// doctorReport has a server on which privileges are missing, and one that cannot be reached.
func doctorReport() doctor.Report {
	result := func(id string, s doctor.Status, text, cause string, try ...string) doctor.Result {
		return doctor.Result{ID: id, Status: s, Text: text, Cause: cause, Try: try}
	}
	power := doctor.Missing{Privilege: "Host.Config.Power", For: []string{"power-policy"}, Of: 2}
	reading := doctor.Missing{Privilege: "System.Read", For: []string{"reading"}, Objects: []string{"/dc/vm/a\x1b[2J", "/dc/vm/b", "/dc/vm/c", "/dc/vm/d"}, Of: 9}
	short := doctor.Server{
		Name: "vc.example.com:443", Context: "prod", Status: doctor.Fail,
		Config: []doctor.Value{{Name: "url", Value: "https://vc.example.com/sdk", From: "context prod (/etc/vperf.yaml)"}},
		Checks: []doctor.Result{
			result("config", doctor.OK, "url https://vc.example.com/sdk (context prod), password (keyring)", ""),
			result("tls", doctor.Warning, "the certificate is not verified: any certificate is accepted", "another server could read the password", "pin it with --thumbprint"),
			result("round-trip", doctor.OK, "3 ms for a short call (median of 3)", ""),
			result("hosts", doctor.Unknown, "2 hosts, ESXi 8.0.3", "esx\x1b[31m2 does not show its release to the account"),
			result("rest", doctor.Absent, "only vCenter has tags and content libraries", ""),
		},
		Commands: []doctor.Command{
			{Result: result("audit", doctor.Fail, "will not work everywhere", ""), Missing: []doctor.Missing{reading}},
			{Result: result("top", doctor.Fail, "will not work everywhere", ""), Missing: []doctor.Missing{reading}},
			{Result: result("apply-host", doctor.Fail, "4 of 5 settings can be changed", ""), Missing: []doctor.Missing{power, {Privilege: "Global.LogEvent", For: []string{"an event on each changed object"}, Of: 2}}},
			{Result: result("apply-pool", doctor.Unknown, "2 settings, on 1 pool", "the licence is not known")},
			{Result: result("apply-datastore", doctor.Unknown, "1 setting, on 1 datastore", "the licence is not known")},
			{Result: result("trial", doctor.Fail, "16 of 17 settings can be changed", ""), Missing: []doctor.Missing{power}},
		},
		Grants: []doctor.Grant{
			{Role: "ReadOnly", BuiltIn: true, Privileges: []string{"System.Anonymous", "System.Read", "System.View"}, Principal: "tuner@vsphere.local", Path: "/dc/vm/my folder of databases that is long"},
			{
				Role: "vperf-change-hosts", Changes: true, Privileges: []string{"System.Anonymous", "System.Read", "System.View", "Global.LogEvent", "Host.Config.AdvancedConfig", "Host.Config.Power"},
				Principal: "tuner@vsphere.local", Path: "/",
			},
		},
	}
	silent := doctor.Server{
		Name: "192.0.2.7", Status: doctor.Fail,
		Checks:   []doctor.Result{result("port", doctor.Fail, "no connection to 192.0.2.7", "connection refused", "check address and port"), result("tls", doctor.Unknown, "not checked: see port", ""), result("login", doctor.Unknown, "not checked: see port", "")},
		Commands: []doctor.Command{{Result: result("audit", doctor.Fail, "not possible: see port", "")}, {Result: result("top", doctor.Fail, "not possible: see port", "")}},
	}
	for i := range silent.Commands {
		silent.Commands[i].BlockedBy, silent.Checks[i+1].BlockedBy = "port", "port"
	}
	machine := []doctor.Result{result("vperf", doctor.OK, "vperf v1; built on 2026-05-01", ""), result("config file", doctor.Absent, "there is no /home/ann/.config/vperf/config.yaml", "")}
	return doctor.NewReport(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), machine, []doctor.Server{short, silent})
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestDoctor(t *testing.T) {
	for _, width := range []int{0, 80, 120} {
		var b bytes.Buffer
		require.NoError(t, report.Doctor(doctorReport()).Terminal(&b, width, iostreams.Style{}))
		golden.Equal(t, filepath.Join("testdata", "doctor-"+strconv.Itoa(width)+".txt"), b.Bytes())
		for line := range strings.SplitSeq(b.String(), "\n") {
			require.True(t, width == 0 || doc.Width(line) <= width || strings.HasPrefix(line, "  govc "), line)
		}
		require.Contains(t, b.String(), "'/dc/vm/my folder of databases that is long'\n", "it is not broken inside quotes")
		require.NotContains(t, b.String(), "\x1b", "names are foreign text")

		var coloured bytes.Buffer
		streams, _, _ := iostreams.Test()
		require.NoError(t, streams.SetColor("always"))
		require.NoError(t, report.Doctor(doctorReport()).Terminal(&coloured, width, streams.StyleOut()))
		require.Equal(t, b.String(), colours.ReplaceAllString(coloured.String(), ""), "colour changes no text")
		require.Contains(t, coloured.String(), "\x1b[31mfail\x1b[39m")
	}
}

func TestDoctorVerdict(t *testing.T) {
	for status, want := range map[doctor.Status]string{
		doctor.OK: "All commands will work.\n", doctor.Warning: "All commands will work, with the limits of the lines with warning.\n",
		doctor.Unknown: "Something could not be checked: see the lines with unknown.\n", doctor.Fail: "Something will not work: see the lines with fail.\n",
	} {
		var b bytes.Buffer
		require.NoError(t, report.Doctor(doctor.Report{Status: status}).Terminal(&b, 0, iostreams.Style{}))
		require.Equal(t, "This machine\n\n"+want, b.String())
	}
}

func TestDoctorJSON(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../docs/schema/vperf.doctor-v1.schema.json")
	require.NoError(t, err)
	for _, r := range []doctor.Report{doctorReport(), doctor.NewReport(time.Now(), nil, nil)} {
		var b bytes.Buffer
		require.NoError(t, report.DoctorJSON(&b, r))
		v, err := jsonschema.UnmarshalJSON(&b)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(v))
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"schema":"vperf.doctor/v1","time":"2026-06-01T12:00:00Z","status":"fine","machine":[],"servers":[]}`))
	require.NoError(t, err)
	require.Error(t, schema.Validate(v), "the schema can refuse")
}
