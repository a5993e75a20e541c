package esxtopservice

import (
	"strconv"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// rows writes lines of fields separated by bars. A host has thousands of them, so they are written without a copy.
type rows struct{ b []byte }

func (r *rows) open(kind string) *rows {
	r.b = append(r.b, '|')
	return r.s(kind)
}

func (r *rows) end() { r.b = append(r.b, '\n') }

// n writes numbers, one field each.
func (r *rows) n(list ...int64) *rows {
	for _, n := range list {
		r.b = append(strconv.AppendInt(r.b, n, 10), '|')
	}
	return r
}

// wrapped writes numbers that have 32 bits on the wire and wrap around.
func (r *rows) wrapped(list ...int64) *rows {
	for _, n := range list {
		r.b = append(strconv.AppendUint(r.b, uint64(uint32(n)), 10), '|') //nolint:gosec // cut off on purpose
	}
	return r
}

// s writes a text unescaped: a host does not escape bars.
func (r *rows) s(text string) *rows {
	r.b = append(append(r.b, text...), '|')
	return r
}

func (r *rows) flag(yes bool) *rows {
	if yes {
		return r.n(1)
	}
	return r.n(0)
}

// count, id and name write fields of the tree: a key and its value.
func (r *rows) count(key string, n int) *rows { return r.id(key, int64(n)) }

func (r *rows) id(key string, n int64) *rows {
	r.b = append(append(r.b, key...), ',')
	return r.n(n)
}

func (r *rows) name(key, value string) *rows {
	r.b = append(append(r.b, key...), ',')
	return r.s(value)
}

// commands writes the counts that devices, paths and worlds have in common.
func (r *rows) commands(io *load.IO) *rows {
	return r.n(io.Commands, io.BlocksRead, io.BlocksWritten, io.Aborts, 0, io.Resets, 0, 0, io.Resets, io.Reads, io.Writes, 0, io.Conflicts)
}

// times writes the times: of all commands, of reads, of writes. Each has the device's time, the kernel's, the queue's part of
// that, and the sum.
func (r *rows) times(io *load.IO) *rows {
	issue, queue, total := io.ReadIssue+io.WriteIssue, io.ReadQueue+io.WriteQueue, io.ReadTotal+io.WriteTotal
	return r.n(issue, total-issue, queue, total, io.ReadIssue, io.ReadTotal-io.ReadIssue, io.ReadQueue, io.ReadTotal,
		io.WriteIssue, io.WriteTotal-io.WriteIssue, io.WriteQueue, io.WriteTotal)
}
