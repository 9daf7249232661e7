// The cuckoo filters of seiflotfy:
//
//	build DUMP KEYS CAPACITY [scalable]    builds a filter of the keys of a file, and writes it to DUMP
//	ask DUMP KEYS [scalable]               reads DUMP, and prints 1 or 0 for each key of the file
//
// A file of keys has one a line, in hexadecimal. A scalable filter begins at its own size, whatever the capacity.
package main

import (
	"log"
	"os"
	"strconv"

	cuckoo "github.com/seiflotfy/cuckoofilter"
)

type filter interface {
	Insert(key []byte) bool
	Lookup(key []byte) bool
	Encode() []byte
}

func create(capacity string, scalable bool) filter {
	if scalable {
		return cuckoo.NewScalableCuckooFilter()
	}
	n, err := strconv.ParseUint(capacity, 10, 64)
	check(err)
	return cuckoo.NewFilter(uint(n))
}

func open(dump []byte, scalable bool) filter {
	if scalable {
		filter, err := cuckoo.DecodeScalableFilter(dump)
		check(err)
		return filter
	}
	filter, err := cuckoo.Decode(dump)
	check(err)
	return filter
}

func main() {
	args := os.Args[1:]
	scalable := args[len(args)-1] == "scalable"
	keys := readKeys(args[2])
	switch args[0] {
	case "build":
		filter := create(args[3], scalable)
		for _, key := range keys {
			if !filter.Insert(key) {
				log.Fatal("the filter is full")
			}
		}
		check(os.WriteFile(args[1], filter.Encode(), 0o644))
	case "ask":
		dump, err := os.ReadFile(args[1])
		check(err)
		printAnswers(keys, open(dump, scalable).Lookup)
	default:
		log.Fatalf("expected build or ask, got %s", args[0])
	}
}
