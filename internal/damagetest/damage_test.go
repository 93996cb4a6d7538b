package damagetest

import (
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// A reader with a checksum rejects all damage, a reader without one accepts some wrong contents, and a careless one
// panics.
func TestTry(t *testing.T) {
	content := "some words, and a checksum"
	sum := func(s string) string { return s + string([]byte{byte(crc32.ChecksumIEEE([]byte(s)))}) }
	for _, tt := range []struct {
		name string
		read func(data []byte) (string, error)
		want func(r Result) bool
	}{
		{"checked", func(data []byte) (string, error) {
			if len(data) == 0 || sum(string(data[:len(data)-1])) != string(data) {
				return "", errors.New("damaged")
			}
			return string(data), nil
		}, func(r Result) bool { return r.Refused > 100 && r.Other < 5 && r.Panicked == 0 }}, // a single byte has no more damaged copies
		{"not checked", func(data []byte) (string, error) { return string(data), nil },
			func(r Result) bool {
				return r.Refused == 0 && r.Other > 100 && r.Worst == "bit 0 of byte 0 turned over"
			}},
		{"careless", func(data []byte) (string, error) { return string(data[20:21]), nil },
			func(r Result) bool { return r.Panicked > 10 && r.Same > 0 && r.Other > 0 }},
	} {
		r, err := Try([]byte(sum(content)), 1000, tt.read)
		expect.That(t, err == nil && tt.want(r), "%s: %v, %v", tt.name, r, err)
		expect.That(t, r.Panicked > 0 == strings.Contains(tt.name, "careless"), "%s: %v", tt.name, r)
	}
	_, err := Try([]byte("x"), 10, func([]byte) (string, error) { return "", errors.New("no") })
	expect.That(t, err != nil, "a file that cannot be read gave no error")
}

// No damaged copy equals the original, and the number of copies is bounded.
func TestOf(t *testing.T) {
	data := []byte("\x00\x00\x00\x00abcdefgh")
	seen := map[string]bool{}
	for what, damaged := range Of(data, 5) {
		expect.That(t, string(damaged) != string(data) && !seen[what], "%s: %q", what, damaged)
		seen[what] = true
		clear(damaged)
	}
	if n := len(seen); n != 5+5+6+3 || string(data) != "\x00\x00\x00\x00abcdefgh" { // the first quarter is zero already
		t.Errorf("%d, %q", n, data)
	}
}
