package damagetest

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"math/bits"
	"slices"
)

// GobOfManyEntries returns the gob encoding of v with one change: the map whose only entry has the given key declares
// count entries. Without its types v must take less than 128 bytes.
func GobOfManyEntries(v any, key string, count uint64) ([]byte, error) {
	var out bytes.Buffer
	encoder := gob.NewEncoder(&out)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	whole := bytes.Clone(out.Bytes())
	if err := encoder.Encode(v); err != nil { // writes the value alone
		return nil, err
	}
	value := out.Bytes()[len(whole):]
	types := whole[:len(whole)-len(value)]
	entry := slices.Concat(gobNumber(uint64(len(key))), []byte(key))
	one := slices.Concat(gobNumber(1), entry)
	if value[0] > 127 || bytes.Count(value[1:], one) != 1 {
		return nil, fmt.Errorf("damagetest: %d bytes of gob have not one map with one entry, of the key %q", len(value), key)
	}
	value = bytes.Replace(value[1:], one, slices.Concat(gobNumber(count), entry), 1)
	return slices.Concat(types, gobNumber(uint64(len(value))), value), nil
}

// gobNumber returns the gob encoding of a number: one byte up to 127, else the negated number of bytes that follow, and
// these bytes.
func gobNumber(n uint64) []byte {
	if n < 128 {
		return []byte{byte(n)}
	}
	size := (bits.Len64(n) + 7) / 8
	return append([]byte{byte(-size)}, binary.BigEndian.AppendUint64(nil, n)[8-size:]...)
}
