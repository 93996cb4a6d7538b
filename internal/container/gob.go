package container

import (
	"bytes"
	"encoding/gob"
	"reflect"
)

// DecodeGob reads into *v what one call of [gob.Encoder.Encode] wrote to a section.
//
// Package gob makes a map as large as the bytes say before it reads any entry. So they are read through first and nothing is kept,
// which is an error where a map or a list has more entries than there are bytes. What interfaces hold is not looked into, and types
// that hold themselves take as much stack as they are deep.
func DecodeGob(section []byte, v any) error {
	if err := gob.NewDecoder(bytes.NewReader(section)).DecodeValue(reflect.Value{}); err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(section)).Decode(v)
}
