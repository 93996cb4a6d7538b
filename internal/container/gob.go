package container

import (
	"bytes"
	"encoding/gob"
	"reflect"
)

// DecodeGob decodes into *v the output of one call of [gob.Encoder.Encode] in a section.
//
// Package gob allocates a map of the declared size before it reads any entry. DecodeGob therefore reads the bytes first
// without keeping them, and returns an error if a map or a list declares more entries than there are bytes. It does not
// check the contents of interfaces. Recursive types take stack in proportion to their depth.
func DecodeGob(section []byte, v any) error {
	if err := gob.NewDecoder(bytes.NewReader(section)).DecodeValue(reflect.Value{}); err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(section)).Decode(v)
}
