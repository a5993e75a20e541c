package push

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// pack compresses a request into a slice of its size.
func pack(plain []byte) ([]byte, error) {
	var body bytes.Buffer
	z, _ := gzip.NewWriterLevel(&body, gzip.BestSpeed) // the level is a good one
	if _, err := z.Write(plain); err != nil {
		return nil, fmt.Errorf("compressing samples: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compressing samples: %w", err)
	}
	return bytes.Clone(body.Bytes()), nil
}

// unpack reverses pack.
func unpack(body []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
