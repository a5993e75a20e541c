package tuning

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// BrokenError reports that a journal was damaged or changed.
type BrokenError struct {
	Run  string
	Line int // from 1
	Why  string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("run %s: line %d of journal.jsonl %s", e.Run, e.Line, e.Why)
}

// journal is the journal file of a run in progress. Each record is durable when append returns.
type journal struct {
	file     appendFile
	now      func() time.Time
	seq      int
	previous string
	broken   error // after a failed write, nothing may be appended
}

// append writes one record and returns it with its number, time and hash.
func (j *journal) append(r Record) (Record, error) {
	if j.broken != nil {
		return r, j.broken
	}
	r.Seq, r.Time, r.Previous = j.seq+1, j.now().UTC(), j.previous
	line, err := json.Marshal(r)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.broken = fmt.Errorf("writing the journal: %w", err) // the last line may be incomplete; it is cut off when the file is opened again
		return r, j.broken
	}
	j.seq, j.previous = r.Seq, hashOf(line)
	return r, nil
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// parsed is the content of a journal file.
type parsed struct {
	records    []Record
	size       int64  // of the complete lines; an incomplete one may follow
	last       string // hash of the last line
	incomplete bool
}

// parse reads a journal. It skips a last line that a crash left incomplete: that write never returned, so nothing that
// relies on it was done. Any other fault is a BrokenError, returned with the records before it.
func parse(run string, content []byte) (parsed, error) {
	var p parsed
	for number := 1; len(content) > 0; number++ {
		line, rest, whole := bytes.Cut(content, []byte("\n"))
		var r Record
		err := json.Unmarshal(line, &r)
		if !whole || err != nil && len(rest) == 0 {
			p.incomplete = true
			return p, nil
		}
		switch {
		case err != nil:
			return p, &BrokenError{run, number, "is not a journal record: " + err.Error()}
		case r.Previous != p.last:
			return p, &BrokenError{run, number, fmt.Sprintf("does not follow line %d: one of them was changed after it was written", number-1)}
		case r.Seq != number:
			return p, &BrokenError{run, number, fmt.Sprintf("is record %d: a line is missing or duplicated", r.Seq)}
		case !slices.Contains(recordKinds, r.Kind):
			return p, &BrokenError{run, number, fmt.Sprintf("is a record of kind %q, which this vperf does not know: a newer vperf wrote it", r.Kind)}
		}
		p.records, p.last, p.size = append(p.records, r), hashOf(line), p.size+int64(len(line))+1
		content = rest
	}
	return p, nil
}
