package capture

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// hardware is the part of a host's configuration in a capture that does not change while the host runs.
type hardware struct {
	threads  int     // 0: unknown
	memoryMB float64 // 0: unknown
}

func hardwareOf(f *esxtop.Frame) hardware {
	memory, _ := f.Of(physical)
	return hardware{threadsOf(f), memory}
}

// other reports whether two captures are certainly of different machines. A change of the BIOS changes the memory by
// some megabytes, but not by a hundredth.
func (h hardware) other(than hardware) bool {
	const same = 0.01
	return h.threads > 0 && than.threads > 0 && h.threads != than.threads ||
		h.memoryMB > 0 && than.memoryMB > 0 && math.Abs(h.memoryMB-than.memoryMB) > same*max(h.memoryMB, than.memoryMB)
}

// machineFiles are the files of one machine whose name other machines have too.
type machineFiles struct {
	hardware
	files []*file
}

// renameDuplicates gives different machines with the same name different names: hosts without a configured name are all called
// localhost.
func renameDuplicates(files []*file) (notes []string) {
	byName := map[string][]*machineFiles{}
	var names []string
	for _, f := range files {
		for _, frame := range f.first {
			if byName[frame.Host] == nil {
				names = append(names, frame.Host)
			}
			byName[frame.Host] = join(byName[frame.Host], f, hardwareOf(frame))
		}
	}
	for _, name := range names {
		hosts := byName[name]
		if known := slices.DeleteFunc(slices.Clone(hosts), func(m *machineFiles) bool { return m.hardware == hardware{} }); len(known) > 1 {
			notes = append(notes, fmt.Sprintf("%d hosts are called %s, distinguished by their processors and memory: %s",
				len(hosts), name, firstNames(rename(name, hosts))))
		}
	}
	return notes
}

func join(hosts []*machineFiles, f *file, h hardware) []*machineFiles {
	for _, m := range hosts {
		if !m.other(h) && (h != hardware{} || m.hardware == hardware{}) {
			m.files = append(m.files, f)
			if m.threads == 0 {
				m.threads = h.threads
			}
			if m.memoryMB == 0 {
				m.memoryMB = h.memoryMB
			}
			return hosts
		}
	}
	return append(hosts, &machineFiles{h, []*file{f}})
}

// rename names machines after their first files.
func rename(name string, hosts []*machineFiles) (names []string) {
	for _, m := range hosts {
		own := fmt.Sprintf("%s (%s)", name, filepath.Base(m.files[0].path))
		for n := 2; slices.Contains(names, own); n++ {
			own = fmt.Sprintf("%s (%s, %d)", name, filepath.Base(m.files[0].path), n)
		}
		names = append(names, own)
		for _, f := range m.files {
			f.rename(name, own)
		}
	}
	return names
}

// rename changes the name of a host of the file.
func (f *file) rename(from, to string) {
	if f.hostNames == nil {
		f.hostNames = map[string]string{}
	}
	f.hostNames[from] = to
	for i, h := range f.hosts {
		if h == from {
			f.hosts[i] = to
		}
	}
	for _, frame := range f.first {
		f.nameHost(frame)
	}
}

// nameHost sets the name of a frame's host.
func (f *file) nameHost(frame *esxtop.Frame) {
	if name, other := f.hostNames[frame.Host]; other {
		frame.Host = name
	}
}
