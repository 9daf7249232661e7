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

// readKeys reads a file of keys: one a line, in hexadecimal.
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

// printAnswers prints 1 or 0 for each key.
func printAnswers(keys [][]byte, has func([]byte) bool) {
	answers := make([]byte, len(keys))
	for i, key := range keys {
		answers[i] = '0'
		if has(key) {
			answers[i] = '1'
		}
	}
	os.Stdout.Write(answers)
}
