// Writes a Bloom filter as a .tamis file. Keys are lines of UTF-8 on standard input.
// Run it by: go run bloom.go -fpr 0.01 keys.tamis < keys.txt
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"hash/crc32"
	"log"
	"math"
	"os"

	"github.com/zeebo/xxh3"
)

func main() {
	fpr := flag.Float64("fpr", 0.01, "the rate of false positives")
	seed := flag.Uint64("seed", 0, "each seed gives another filter of the same keys")
	flag.Parse()
	var hashes []uint64
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		hashes = append(hashes, xxh3.Hash(lines.Bytes()))
	}
	if lines.Err() != nil {
		log.Fatal(lines.Err())
	}
	capacity := uint64(max(len(hashes), 1))
	k := min(max(math.Round(-math.Log2(*fpr)), 1), 64)
	size := math.Ceil(-k * float64(capacity) / math.Log1p(-math.Pow(*fpr, 1/k)))
	if !(*fpr > 0 && *fpr < 1 && size <= 1<<32) {
		log.Fatalf("there is no filter of %d keys at a rate of %v", capacity, *fpr)
	}
	m, count := uint64(size), uint64(0)
	bits := make([]byte, (m+63)/64*8)
	for _, h := range hashes {
		x, isNew := h+*seed, byte(0)
		x = (x ^ x>>33) * 0xFF51AFD7ED558CCD // FORMAT.md, section 4.1: fmix64
		x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
		x ^= x >> 33
		for range int(k) { // section 5.1: the scheme mcg
			i := (x >> 32) * m >> 32 // hi(x) takes the upper half of x alone
			isNew |= ^bits[i/8] >> (i % 8) & 1
			bits[i/8] |= 1 << (i % 8)
			x *= 0xF1357AEA2E62A9C5
		}
		count += uint64(isNew)
	}
	le, castagnoli := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	payload, _ := binary.Append(nil, le, []uint64{m, uint64(k)})
	payload = append(payload, bits...)
	file := []byte("\x89TMS\r\n\x1a\n\x01\x00\x01\x01\x00\x00\x00\x00") // section 2
	file, _ = binary.Append(file, le, []uint64{*seed, 0, capacity, count, uint64(len(payload))})
	file = le.AppendUint32(file, crc32.Checksum(payload, castagnoli))
	file = le.AppendUint32(file, crc32.Checksum(file, castagnoli))
	if err := os.WriteFile(flag.Arg(0), append(file, payload...), 0o644); err != nil {
		log.Fatal(err)
	}
}
