// Package damage corrupts files for tests of their readers.
package damage

import (
	"bytes"
	"math/rand/v2"
	"runtime"
)

// One returns a damaged copy of data: truncated, extended, with flipped bits, with a number overwritten by an extreme
// one, with a part duplicated or removed, or with an inserted text that is critical for some format.
func One(rng *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	for range 1 + rng.IntN(3) {
		if len(out) == 0 {
			return append(out, byte(rng.Uint32()))
		}
		at := rng.IntN(len(out))
		end := at + rng.IntN(min(64, len(out)-at)+1)
		switch rng.IntN(8) {
		case 0:
			out = out[:at]
		case 1:
			for range 1 + rng.IntN(16) {
				out = append(out, byte(rng.Uint32()))
			}
		case 2, 3:
			out[at] ^= 1 << rng.IntN(8)
		case 4:
			for i := at; i < min(at+4, len(out)); i++ {
				out[i] = 0xff
			}
		case 5:
			out = append(out[:end:end], out[at:]...)
		case 6:
			out = append(out[:at:at], out[end:]...)
		case 7:
			piece := pieces[rng.IntN(len(pieces))]
			out = append(out[:at:at], append([]byte(piece), out[at:]...)...)
		}
	}
	return out
}

var pieces = []string{"\"", "{", "[", "-", "999999999999999999999", "NaN", "\x00", "\n", ",", "\xff\xfe", "1e999", "'", "()"}

// Allocated returns the number of heap bytes that f allocates, including freed ones.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Held returns the number of heap bytes in use after a garbage collection.
func Held() uint64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}
