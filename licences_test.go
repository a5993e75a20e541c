package vperf_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
)

// allowedLicences ask for a notice and no more. A module under another licence needs a decision, not a line here.
var allowedLicences = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// notInPrograms are licences of parts of a module that are in no program, such as its documentation, by module. Each has a decision.
var notInPrograms = map[string]string{
	"github.com/modelcontextprotocol/go-sdk": "CC-BY-4.0", // of its documentation: docs/decisions/0019
}

const thirdParty = "THIRD_PARTY_LICENSES.md"

// dependency is a module whose code is in a released program.
type dependency struct {
	path, version string
	licences      []string // SPDX ids
	texts         []string // licences and notices
}

// TestLicences keeps THIRD_PARTY_LICENSES.md: every module in a program of any platform, with its licence. A module without a licence,
// with one that is not recognised, or with one that is not allowed fails.
func TestLicences(t *testing.T) {
	var all []dependency
	for module, dir := range shippedModules(t) {
		d, err := readLicences(module, dir)
		require.NoError(t, err)
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	golden.Equal(t, thirdParty, []byte(licencePage(all)))
}

func TestLicencesCanFail(t *testing.T) {
	const module = "example.com/m v1.0.0"
	dir := t.TempDir()
	_, err := readLicences(module, dir)
	require.ErrorContains(t, err, "example.com/m has no licence file")
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600))
	}
	write("You may look at this.")
	_, err = readLicences(module, dir)
	require.ErrorContains(t, err, "no licence is recognised in LICENSE of example.com/m")
	write("This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public " +
		"License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.")
	_, err = readLicences(module, dir)
	require.ErrorContains(t, err, "example.com/m is under GPL-3.0-or-later, which is not allowed")
	ours, err := os.ReadFile("LICENSE")
	require.NoError(t, err)
	write("The code is under the MIT License. Its documentation is licensed under CC-BY-4.0. See https://creativecommons.org/licenses/by/4.0/legalcode")
	_, err = readLicences(module, dir)
	require.ErrorContains(t, err, "example.com/m is under CC-BY-4.0, which is not allowed")
	write(string(ours))
	d, err := readLicences(module, dir)
	require.NoError(t, err)
	require.Equal(t, []string{"Apache-2.0"}, d.licences)
}

// shippedModules maps "path version" of the modules in the programs to their folders.
func shippedModules(t *testing.T) map[string]string {
	t.Helper()
	walkTree(t)
	modules := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, "./cmd/vperf")
		list.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0", "GOOS="+system, "GOARCH=amd64")
		out, err := list.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				modules[module] = dir
			}
		}
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	modules["Go standard library"] = strings.TrimSpace(string(root))
	return modules
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([-.].*)?$`)

func readLicences(module, dir string) (dependency, error) {
	d := dependency{path: module}
	if path, version, ok := strings.Cut(module, " v"); ok {
		d.path, d.version = path, "v"+version
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return d, err
	}
	for _, f := range files {
		if f.IsDir() || !licenceFile.MatchString(f.Name()) || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return d, err
		}
		d.texts = append(d.texts, tidy(string(text)))
		if strings.HasPrefix(strings.ToUpper(f.Name()), "NOTICE") {
			continue
		}
		if err := d.add(f.Name(), text); err != nil {
			return d, err
		}
	}
	if len(d.licences) == 0 {
		return d, fmt.Errorf("%s has no licence file", d.path)
	}
	slices.Sort(d.licences)
	d.licences = slices.Compact(d.licences)
	return d, nil
}

// add recognises the licences of a file.
func (d *dependency) add(file string, text []byte) error {
	found := licensecheck.Scan(text).Match
	if len(found) == 0 {
		return fmt.Errorf("no licence is recognised in %s of %s", file, d.path)
	}
	for _, m := range found {
		if notInPrograms[d.path] == m.ID {
			continue
		}
		if !slices.Contains(allowedLicences, m.ID) {
			return fmt.Errorf("%s is under %s, which is not allowed (%s)", d.path, m.ID, file)
		}
		d.licences = append(d.licences, m.ID)
	}
	return nil
}

// tidy drops what differs between equal texts: the ends of lines.
func tidy(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \t\r\n\f") + "\n")
	}
	return strings.Trim(b.String(), "\n")
}

func licencePage(all []dependency) string {
	var b strings.Builder
	b.WriteString("# Licences of third parties\n\nReleased programs contain code of these modules. A test writes this page from the modules themselves, and refuses\n" +
		"licences other than " + strings.Join(allowedLicences, ", ") + ".\n\n| module | version | licence |\n|---|---|---|\n")
	holders := map[string][]string{}
	for _, d := range all {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.path, d.version, strings.Join(d.licences, ", "))
		for _, text := range d.texts {
			holders[text] = append(holders[text], d.path)
		}
	}
	b.WriteString("\n## Texts\n")
	texts := slices.SortedFunc(maps.Keys(holders), func(x, y string) int {
		return strings.Compare(holders[x][0]+x, holders[y][0]+y)
	})
	for _, text := range texts {
		fmt.Fprintf(&b, "\n### %s\n\n```text\n%s\n```\n", strings.Join(holders[text], ", "), text)
	}
	return b.String()
}
