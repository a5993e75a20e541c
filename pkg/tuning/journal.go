package tuning

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// BrokenError reports that a journal was damaged or changed, or that a newer vperf wrote it.
type BrokenError struct {
	Run  string
	Line int // from 1
	Why  string

	newer    bool
	believed int // how many records before the fault are as vperf wrote them
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("run %s: line %d of journal.jsonl %s", e.Run, e.Line, e.Why)
}

// journal is the journal file of a run in progress. Each record is durable when append returns.
type journal struct {
	file     appendFile
	end      appendFile // of [ending]s
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

// prove makes the last record provable: a journal that has lost it later is damaged. The result is "" while the run is open. If a run
// has ended, a failure only stops the next record: its journal is longer than its end.
func (j *journal) prove(result string) error {
	if j.broken != nil {
		return j.broken
	}
	_, err := j.end.Write(ending{j.seq, cmp.Or(j.previous, "-"), result}.line())
	if err == nil {
		err = j.end.Sync()
	}
	if err != nil {
		j.broken = fmt.Errorf("writing %s: %w", endFile, err)
	}
	if result != "" {
		return nil
	}
	return j.broken
}

func (j *journal) close() error { return errors.Join(j.file.Close(), j.end.Close()) }

// ending is one line of a run's end file. It is written after the record is synced and before the next one, so a journal may be one record
// longer than its end, but never shorter. The first line is written before the first record. Runs from before the end file have none.
type ending struct {
	records int
	hash    string // of the last record or "-" before the first one; "" if no line can be read
	result  string // "" if the run was open
}

// line returns the line with a checksum. The line break comes first, so that a line that a crash left incomplete spoils no other.
func (e ending) line() []byte {
	text := fmt.Sprintf("%d %s %s", e.records, e.hash, e.result)
	return []byte("\n" + hashOf([]byte(text))[:endSum] + " " + text)
}

const endSum = 16

// lastEnding returns the last complete line of an end file.
func lastEnding(content []byte) ending {
	for len(content) > 0 {
		at := bytes.LastIndexByte(content, '\n')
		sum, text, _ := strings.Cut(string(content[at+1:]), " ")
		if fields := strings.SplitN(text, " ", 3); len(fields) == 3 && sum == hashOf([]byte(text))[:endSum] {
			n, _ := strconv.Atoi(fields[0])
			return ending{n, fields[1], fields[2]}
		}
		content = content[:max(at, 0)]
	}
	return ending{}
}

// endingOf returns how a run ended that has no end file and whose journal is broken, by the last lines that can be read.
func endingOf(journal []byte) ending {
	for len(journal) > 0 {
		at := bytes.LastIndexByte(journal, '\n')
		var r Record
		if json.Unmarshal(journal[at+1:], &r) == nil && r.Kind != RecordProven && r.Kind != RecordTrial {
			return ending{result: r.Result}
		}
		journal = journal[:max(at, 0)]
	}
	return ending{}
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
// relies on it was done. Any other fault is a BrokenError, returned with the records before it. Of two lines that do not follow each other
// either may be the changed one, so the values of neither are believed.
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
			return p, &BrokenError{run, number, "is not a journal record: " + err.Error(), false, number - 1}
		case r.Previous != p.last:
			return p, &BrokenError{run, number, fmt.Sprintf("does not follow line %d: one of them was changed after it was written", number-1), false, max(number-2, 0)}
		case r.Seq != number:
			return p, &BrokenError{run, number, fmt.Sprintf("is record %d: a line is missing or duplicated", r.Seq), false, number - 1}
		case !slices.Contains(recordKinds, r.Kind):
			return p, &BrokenError{run, number, fmt.Sprintf("is a record of kind %q, which this vperf does not know: a newer vperf wrote it", r.Kind), true, number - 1}
		}
		p.records, p.last, p.size = append(p.records, r), hashOf(line), p.size+int64(len(line))+1
		content = rest
	}
	return p, nil
}

// ended reports whether the journal ends with the run's result, so that no write can have followed it unless a rollback or recovery did.
func (p *parsed) ended() bool {
	for _, r := range slices.Backward(p.records) {
		if r.Kind != RecordProven {
			return r.Kind == RecordRunEnd
		}
	}
	return false
}

// proves reports whether the run has an end file, so that its journal can be held against it.
func (p *parsed) proves() bool { return len(p.records) > 0 && p.records[0].End }

// outgrows reports whether the journal of a run that has not ended is longer than a kill can leave it: lines of its end file are lost, and so
// may be its own last records.
func (p *parsed) outgrows(e ending) bool {
	return p.proves() && !p.ended() && (e.hash == "" || len(p.records) > e.records+1)
}

// check returns a BrokenError if records are missing that the end file proves.
func (p *parsed) check(run string, e ending) error {
	n, hash := len(p.records), p.last
	if e.records < n {
		hash = p.records[e.records].Previous
	}
	switch {
	case n < e.records:
		return &BrokenError{run, n + 1, fmt.Sprintf("is missing: vperf wrote %d records, and %d are left", e.records, n), false, n}
	case e.records > 0 && hash != e.hash:
		return &BrokenError{run, e.records, "is not the record that vperf wrote", false, e.records - 1}
	}
	return nil
}
