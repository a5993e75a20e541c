// Package shard divides the hosts of a server among several exporters, and plans such a division: how much each of them
// collects, and how Prometheus scrapes them.
package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Most is the greatest number of shards.
const Most = 64

// Shard is one of several parts of a server's hosts. The zero value is the whole server.
type Shard struct {
	Number int // from 1
	Of     int
}

var errForm = errors.New("write NUMBER/OF, such as 2/3 for the second of three")

// Parse reads the form 2/3. An empty text is the whole server.
func Parse(text string) (Shard, error) {
	if text == "" {
		return Shard{}, nil
	}
	number, of, both := strings.Cut(text, "/")
	n, err := strconv.Atoi(number)
	all, alsoErr := strconv.Atoi(of)
	switch {
	case !both || err != nil || alsoErr != nil:
		return Shard{}, fmt.Errorf("%q is not a shard: %w", text, errForm)
	case all < 1 || all > Most:
		return Shard{}, fmt.Errorf("%q: the number of shards is 1 to %d", text, Most)
	case n < 1 || n > all:
		return Shard{}, fmt.Errorf("%q: of %d shards, the first is 1/%d and the last is %d/%d", text, all, all, all, all)
	}
	return Shard{n, all}, nil
}

// String returns the form that Parse reads.
func (s Shard) String() string {
	if s.Whole() {
		return "1/1"
	}
	return strconv.Itoa(s.Number) + "/" + strconv.Itoa(s.Of)
}

// Whole reports whether there is only this shard.
func (s Shard) Whole() bool { return s.Of <= 1 }

// Estate reports whether this shard serves what belongs to no host: clusters, datastores, resource pools and the audit.
func (s Shard) Estate() bool { return s.Number <= 1 }

// Owns reports whether a host, by its managed object id, belongs to the shard. VMs belong to the shard of their host.
func (s Shard) Owns(host string) bool { return s.Whole() || Of(host, s.Of) == s.Number }

// Of returns the number of the shard that a host belongs to: the one with the highest weight. A shard more takes hosts
// from all others and moves none between them. All exporters of all releases must agree, so this never changes.
func Of(host string, shards int) (number int) {
	var highest uint64
	for n := 1; n <= shards; n++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(n) + "/" + host))
		if weight := binary.BigEndian.Uint64(sum[:]); n == 1 || weight > highest {
			number, highest = n, weight
		}
	}
	return number
}
