// The Bloom filter of bits-and-blooms:
//
//	build DUMP KEYS CAPACITY FPR [json]    builds a filter of the keys of a file, and writes it to DUMP
//	ask DUMP KEYS [json]                   reads DUMP, and prints 1 or 0 for each key of the file
//
// A file of keys has one a line, in hexadecimal.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"

	"github.com/bits-and-blooms/bloom"
)

var asJSON = os.Args[len(os.Args)-1] == "json"

func build(keys [][]byte, args []string) []byte {
	n, err := strconv.ParseUint(args[0], 10, 64)
	check(err)
	p, err := strconv.ParseFloat(args[1], 64)
	check(err)
	filter := bloom.NewWithEstimates(uint(n), p)
	for _, key := range keys {
		filter.Add(key)
	}
	if asJSON {
		text, err := json.Marshal(filter)
		check(err)
		return text
	}
	var dump bytes.Buffer
	_, err = filter.WriteTo(&dump)
	check(err)
	return dump.Bytes()
}

func open(dump []byte) func([]byte) bool {
	filter := &bloom.BloomFilter{}
	if asJSON {
		check(json.Unmarshal(dump, filter))
	} else {
		_, err := filter.ReadFrom(bytes.NewReader(dump))
		check(err)
	}
	return filter.Test
}

func main() {
	run(build, open)
}
