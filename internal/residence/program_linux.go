package residence

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ReleaseProgram lets the system drop the pages of the program's file from the process. The start of the program, for one, touches
// tens of megabytes that it does not need again. Pages that are still needed come back from the page cache when they are used.
func ReleaseProgram() {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	for _, m := range unchanged(f, program) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, syscall.MADV_DONTNEED) // if it fails, the pages stay
	}
}

// mostMappings limits how much text about mappings is read. The program's own come first.
const mostMappings = 1 << 20

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// unchanged returns the read-only mappings of a file that are as in the file. Others must not be dropped: what the process or the loader
// wrote would be lost.
func unchanged(smaps io.Reader, file string) (list []mapping) {
	var last mapping
	of := false
	for lines := bufio.NewScanner(io.LimitReader(smaps, mostMappings)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) >= 5 && !strings.HasSuffix(fields[0], ":"):
			last = parse(fields[0])
			of = len(fields) == 6 && fields[5] == file && !strings.Contains(fields[1], "w") && last.end > last.start
		case of && len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0":
			list = append(list, last)
		}
	}
	return list
}

// parse reads "00400000-01bef000".
func parse(text string) mapping {
	start, end, _ := strings.Cut(text, "-")
	from, err1 := strconv.ParseUint(start, 16, strconv.IntSize)
	to, err2 := strconv.ParseUint(end, 16, strconv.IntSize)
	if err1 != nil || err2 != nil {
		return mapping{}
	}
	return mapping{uintptr(from), uintptr(to)}
}
