package residence

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnchanged: mappings that the process wrote to, or may write to, are never dropped.
func TestUnchanged(t *testing.T) {
	const smaps = `00400000-01bef000 r-xp 00000000 fe:00 123                        /usr/bin/vperf
Rss:               21480 kB
Anonymous:             0 kB
01bef000-03be1000 r--p 017ef000 fe:00 123                        /usr/bin/vperf
Anonymous:             8 kB
03be1000-03e03000 rw-p 037e1000 fe:00 123                        /usr/bin/vperf
Anonymous:             0 kB
03e03000-03f00000 r--p 00000000 fe:00 124                        /usr/lib/libc.so
Anonymous:             0 kB
05000000-06000000 r--p 00000000 fe:00 123                        /usr/bin/vperf (deleted)
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0
Anonymous:          4096 kB
06000000-07000000 r--p 037e1000 fe:00 123                        /usr/bin/vperf
Anonymous:             0 kB
`
	require.Equal(t, []mapping{{0x400000, 0x1bef000}, {0x6000000, 0x7000000}}, unchanged(strings.NewReader(smaps), "/usr/bin/vperf"))
	require.Empty(t, unchanged(strings.NewReader("garbage\n\nxyz-1 r--p 0 0 0 /usr/bin/vperf\nAnonymous: 0 kB\n"), "/usr/bin/vperf"))
}

// TestRelease: the process continues after the pages of its program were dropped.
func TestRelease(t *testing.T) {
	program, err := os.Readlink("/proc/self/exe")
	require.NoError(t, err)
	smaps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	require.NotEmpty(t, unchanged(strings.NewReader(string(smaps)), program), "the program itself")
	for range 3 {
		Release()
	}
}
