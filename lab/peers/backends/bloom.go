// Writes a Bloom filter as a .tamis file. Keys are lines of UTF-8 on standard input.
// Run it with: go run bloom.go -fpr 0.01 keys.tamis < keys.txt
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

// rate is that of n keys in m bits with k hashes: FORMAT.md, section 5.1, the sizes.
func rate(m, k, n uint64) float64 {
	bits, positions := float64(m), float64(k*n)
	if positions <= 512 { // the expectation, by the odds that d bits are open
		var odds [66]float64
		odds[0] = 1
		for range k {
			for d := k; d > 0; d-- {
				odds[d] = odds[d]*(float64(d)/bits) + odds[d-1]*((bits-float64(d-1))/bits)
			}
			odds[0] = 0
		}
		for range k * n {
			for d := range k + 1 {
				odds[d] = odds[d]*((bits-float64(d))/bits) + odds[d+1]*(float64(d+1)/bits)
			}
		}
		return odds[0]
	}
	q := -math.Expm1(positions * math.Log1p(-1/bits))
	decay := -math.Expm1(positions * math.Log1p(-1/((bits-1)*(bits-1))))
	variance := (1 - q) * (q - (1-q)*(bits-1)*decay) // divided by m
	return math.Pow(q, float64(k)) * (1 + float64(k*(k-1)/2)*variance/(bits*q*q))
}

// bestSize returns the fewest bits over all numbers of hashes, and that number; 0 if there is none.
func bestSize(n uint64, fpr float64) (m, k uint64) {
	m = 1<<32 + 1
	for hashes := uint64(1); hashes <= 64; hashes++ {
		low, high := n*hashes/64+2, m-1
		if low > high || rate(high, hashes, n) > fpr {
			continue
		}
		for low < high {
			if middle := (low + high) / 2; rate(middle, hashes, n) <= fpr {
				high = middle
			} else {
				low = middle + 1
			}
		}
		m, k = high, hashes
	}
	return m, k
}

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
	m, k := bestSize(capacity, *fpr)
	if k == 0 || !(*fpr >= 0x1p-48 && *fpr < 1) {
		log.Fatalf("there is no filter of %d keys at a rate of %v", capacity, *fpr)
	}
	count := uint64(0)
	bits := make([]byte, (m+63)/64*8)
	for _, h := range hashes {
		x, isNew := h+*seed, byte(0)
		x = (x ^ x>>33) * 0xFF51AFD7ED558CCD // FORMAT.md, section 4.1: fmix64
		x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
		x ^= x >> 33
		for range k { // section 5.1: the scheme mcg
			i := (x >> 32) * m >> 32 // hi(x) takes the upper half of x alone
			isNew |= ^bits[i/8] >> (i % 8) & 1
			bits[i/8] |= 1 << (i % 8)
			x *= 0xF1357AEA2E62A9C5
		}
		count += uint64(isNew)
	}
	le, castagnoli := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	payload, _ := binary.Append(nil, le, []uint64{m, k})
	payload = append(payload, bits...)
	file := []byte("\x89TMS\r\n\x1a\n\x01\x00\x01\x01\x00\x00\x00\x00") // section 2
	file, _ = binary.Append(file, le, []uint64{*seed, 0, capacity, count, uint64(len(payload))})
	file = le.AppendUint32(file, crc32.Checksum(payload, castagnoli))
	file = le.AppendUint32(file, crc32.Checksum(file, castagnoli))
	if err := os.WriteFile(flag.Arg(0), append(file, payload...), 0o644); err != nil {
		log.Fatal(err)
	}
}
