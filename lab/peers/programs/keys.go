package main

import (
	"encoding/hex"
	"log"
	"os"
	"strings"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// readKeys reads a file of keys, one per line, in hexadecimal.
func readKeys(path string) [][]byte {
	text, err := os.ReadFile(path)
	check(err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	keys := make([][]byte, len(lines))
	for i, line := range lines {
		keys[i], err = hex.DecodeString(line)
		check(err)
	}
	return keys
}

// run follows the arguments: it builds a filter, or prints 1 or 0 for each key.
func run(build func(keys [][]byte, args []string) []byte, open func(dump []byte) func([]byte) bool) {
	args := os.Args[1:]
	keys := readKeys(args[2])
	switch args[0] {
	case "build":
		check(os.WriteFile(args[1], build(keys, args[3:]), 0o644))
	case "ask":
		dump, err := os.ReadFile(args[1])
		check(err)
		has := open(dump)
		answers := make([]byte, len(keys))
		for i, key := range keys {
			answers[i] = '0'
			if has(key) {
				answers[i] = '1'
			}
		}
		os.Stdout.Write(answers)
	default:
		log.Fatalf("expected build or ask, got %s", args[0])
	}
}
