// Writes a binary fuse filter. Keys are lines of UTF-8 on standard input.
// Run it with: go run fuse.go keys.fuse < keys.txt
package main

import (
	"bufio"
	"bytes"
	"log"
	"os"

	"github.com/FastFilter/xorfilter"
	"github.com/cespare/xxhash/v2"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	var hashes []uint64
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		hashes = append(hashes, xxhash.Sum64(lines.Bytes()))
	}
	check(lines.Err())
	filter, err := xorfilter.NewBinaryFuse[uint8](hashes) // uint16 and uint32 have lower rates
	check(err)
	var file bytes.Buffer
	check(filter.Save(&file))
	check(os.WriteFile(os.Args[1], file.Bytes(), 0o644))
}
