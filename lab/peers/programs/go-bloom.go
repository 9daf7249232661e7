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
	"log"
	"os"
	"strconv"

	"github.com/bits-and-blooms/bloom"
)

func build(keys [][]byte, capacity, fpr string, asJSON bool) []byte {
	n, err := strconv.ParseUint(capacity, 10, 64)
	check(err)
	p, err := strconv.ParseFloat(fpr, 64)
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

func open(dump []byte, asJSON bool) *bloom.BloomFilter {
	filter := &bloom.BloomFilter{}
	if asJSON {
		check(json.Unmarshal(dump, filter))
		return filter
	}
	_, err := filter.ReadFrom(bytes.NewReader(dump))
	check(err)
	return filter
}

func main() {
	args := os.Args[1:]
	asJSON := args[len(args)-1] == "json"
	keys := readKeys(args[2])
	switch args[0] {
	case "build":
		check(os.WriteFile(args[1], build(keys, args[3], args[4], asJSON), 0o644))
	case "ask":
		dump, err := os.ReadFile(args[1])
		check(err)
		printAnswers(keys, open(dump, asJSON).Test)
	default:
		log.Fatalf("expected build or ask, got %s", args[0])
	}
}
