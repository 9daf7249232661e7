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

var scalable = os.Args[len(os.Args)-1] == "scalable"

func create(capacity string) filter {
	if scalable {
		return cuckoo.NewScalableCuckooFilter()
	}
	n, err := strconv.ParseUint(capacity, 10, 64)
	check(err)
	return cuckoo.NewFilter(uint(n))
}

func build(keys [][]byte, args []string) []byte {
	filter := create(args[0])
	for _, key := range keys {
		if !filter.Insert(key) {
			log.Fatal("the filter is full")
		}
	}
	return filter.Encode()
}

func open(dump []byte) func([]byte) bool {
	if scalable {
		filter, err := cuckoo.DecodeScalableFilter(dump)
		check(err)
		return filter.Lookup
	}
	filter, err := cuckoo.Decode(dump)
	check(err)
	return filter.Lookup
}

func main() {
	run(build, open)
}
