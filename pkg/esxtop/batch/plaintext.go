package batch

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// sniffed is how many bytes at the beginning of a file are needed to detect its type: the magic number of a tar archive
// is at byte 257.
const sniffed = 512

// plainText converts a file to UTF-8 and decompresses it. made is true if positions in the text differ from those in
// the file.
func plainText(r io.Reader) (plain io.Reader, made bool, err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	for range 2 { // compressed, and the decompressed text
		start, _ := b.Peek(sniffed)
		if kind := foreign(start); kind != "" {
			return nil, made, errors.New(kind)
		}
		var unpacked io.Reader
		switch {
		case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
			if unpacked, err = gzip.NewReader(b); err != nil {
				return nil, true, fmt.Errorf("decompressing: %w", err)
			}
		case bytes.HasPrefix(start, []byte("BZh")):
			unpacked = bzip2.NewReader(b)
		default:
			if order := wide(start); order != nil {
				return &narrowing{from: b, order: order}, true, nil
			}
			return b, made, nil
		}
		b, made = bufio.NewReaderSize(unpacked, 64<<10), true
	}
	return b, made, nil
}

// foreign describes a file type that vperf cannot unpack, and what to do; empty for other types.
func foreign(start []byte) string {
	has := func(magic string) bool { return bytes.HasPrefix(start, []byte(magic)) }
	switch {
	case has("PK\x03\x04"):
		return "this is a ZIP archive, or a workbook of Excel: unpack it (unzip FILE) and name the CSV that was in it; of a workbook, save the " +
			"sheet as CSV"
	case has("\xfd7zXZ\x00"):
		return "this is packed with xz: unpack it with xz -d FILE, and name the CSV"
	case has("\x28\xb5\x2f\xfd"):
		return "this is packed with zstd: unpack it with zstd -d FILE, and name the CSV"
	case has("7z\xbc\xaf\x27\x1c"), has("Rar!\x1a\x07"):
		return "this is a 7z or RAR archive: unpack it, and name the CSV that was in it"
	case len(start) > 262 && string(start[257:262]) == "ustar":
		return "this is a tar archive, as vm-support writes: unpack it with tar xf FILE, and name the CSV that was in it. A support bundle with " +
			"snapshots of performance has none: esxtop -R FOLDER -b, on a host of the same release, makes one of it"
	}
	return ""
}

// wide detects the byte order of UTF-16, which PowerShell writes for redirected output; nil if it is not UTF-16.
// Without a byte order mark, two letters are enough.
func wide(start []byte) func(b []byte) uint16 {
	little := func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
	big := func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 }
	switch {
	case len(start) < 4:
	case start[0] == 0xff && start[1] == 0xfe, start[0] != 0 && start[1] == 0 && start[2] != 0 && start[3] == 0:
		return little
	case start[0] == 0xfe && start[1] == 0xff, start[0] == 0 && start[1] != 0 && start[2] == 0 && start[3] != 0:
		return big
	}
	return nil
}

// narrowing converts UTF-16 to UTF-8.
type narrowing struct {
	from  io.Reader
	order func(b []byte) uint16
	buf   [32 << 10]byte
	n     int    // bytes in buf that are not converted yet: a part of a letter
	out   []byte // made
	given int    // of it
	err   error
}

func (n *narrowing) Read(b []byte) (int, error) {
	for n.given == len(n.out) {
		if n.err != nil {
			return 0, n.err
		}
		got, err := n.from.Read(n.buf[n.n:])
		n.err = err
		n.narrow(n.buf[:n.n+got])
	}
	given := copy(b, n.out[n.given:])
	n.given += given
	return given, nil
}

// narrow converts complete letters; at the end of the input, incomplete ones too.
func (n *narrowing) narrow(b []byte) {
	n.out, n.given = n.out[:0], 0
	i := 0
	for ; i+1 < len(b); i += 2 {
		r := rune(n.order(b[i:]))
		if r < utf8.RuneSelf {
			n.out = append(n.out, byte(r))
			continue
		}
		if utf16.IsSurrogate(r) {
			if i+3 >= len(b) && n.err == nil {
				break
			}
			if i+3 < len(b) {
				if pair := utf16.DecodeRune(r, rune(n.order(b[i+2:]))); pair != utf8.RuneError {
					r, i = pair, i+2
				}
			}
		}
		n.out = utf8.AppendRune(n.out, r) // of half a letter it makes the mark for a wrong one
	}
	n.n = copy(n.buf[:], b[i:])
}

// damage describes a defect in a compressed file; empty for other errors. The data before it is usable.
func damage(err error) string {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	_, structural := errors.AsType[bzip2.StructuralError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the file ends early: it was cut off while it was compressed"
	case corrupt, structural, errors.Is(err, gzip.ErrChecksum):
		return "the file ends early: it is damaged, and cannot be decompressed from there on"
	case errors.Is(err, gzip.ErrHeader):
		return "skipped other data after the compressed capture"
	}
	return ""
}

// notCapture describes a text without a header of esxtop, and what to do: such files are sent by mistake.
func notCapture(start string) string {
	trimmed := strings.TrimLeft(start, "\ufeff\" \t")
	has := func(parts ...string) bool {
		for _, p := range parts {
			if !strings.Contains(trimmed, p) {
				return false
			}
		}
		return true
	}
	switch {
	case strings.HasPrefix(trimmed, "Histogram:"), has("worldGroupID"), has("Virtual Machine worldGroupID"):
		return "these are histograms of vscsiStats, which vperf does not read; it reads the output of " + howToRecord
	case strings.HasPrefix(trimmed, "{") && has("vperf."):
		return "this is JSON that vperf wrote: a saved snapshot, and no capture"
	case has("load average") && has("up "):
		return "this is esxtop's screen; vperf reads its batch output, of " + howToRecord
	case strings.HasPrefix(strings.ToLower(trimmed), "<!doctype"), strings.HasPrefix(strings.ToLower(trimmed), "<html"):
		return "this is a web page, as a browser saves where it had to log on: fetch the capture again"
	}
	return ""
}

// howToRecord is the command to record a capture.
const howToRecord = "esxtop -b -a -d 5 -n 60, on the host"
