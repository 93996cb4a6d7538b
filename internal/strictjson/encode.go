// Package strictjson encodes and decodes Go values as JSON without losing a number.
//
// Numbers that are not finite are the texts "NaN", "+Inf" and "-Inf", which encoding/json rejects; all others are
// restored bit for bit, except for the payload of a NaN. Decoding is strict: an unknown field, a duplicate name, or
// null for a value that cannot be nil is an error. A missing field is zero.
//
// Values consist of booleans, numbers, texts, slices, arrays, maps with text keys, pointers, and structs with exported
// fields; an embedded struct is a separate field. Types with MarshalText and UnmarshalText are texts. A field's tag
// "json" can rename it, or leave it out, as for encoding/json. Invalid UTF-8 becomes U+FFFD.
package strictjson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// notFinite are the numbers that JSON lacks, as strconv formats them.
var notFinite = []string{"NaN", "+Inf", "-Inf"}

// Marshal returns v as JSON on one line.
func Marshal(v any) ([]byte, error) {
	data, err := encode(nil, reflect.ValueOf(v))
	if err != nil {
		return nil, fmt.Errorf("strictjson: %w", err)
	}
	return data, nil
}

// encode appends v to b.
func encode(b []byte, v reflect.Value) ([]byte, error) {
	if !v.IsValid() {
		return append(b, "null"...), nil
	}
	if text, ok := v.Interface().(encoding.TextMarshaler); ok && !(v.Kind() == reflect.Pointer && v.IsNil()) {
		data, err := text.MarshalText()
		if err != nil {
			return nil, err
		}
		return quote(b, string(data))
	}
	switch kind := v.Kind(); kind {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case reflect.Float32, reflect.Float64:
		text := strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
		if slices.Contains(notFinite, text) {
			text = `"` + text + `"`
		}
		return append(b, text...), nil
	case reflect.String:
		return quote(b, v.String())
	case reflect.Pointer:
		return encode(b, v.Elem())
	case reflect.Slice, reflect.Array:
		if kind == reflect.Slice && v.IsNil() {
			return append(b, "null"...), nil
		}
		return list(b, '[', ']', v.Len(), func(b []byte, i int) ([]byte, error) { return encode(b, v.Index(i)) })
	case reflect.Map:
		return encodeMap(b, v)
	case reflect.Struct:
		return encodeStruct(b, v)
	}
	return nil, fmt.Errorf("a %s cannot be written as JSON", v.Type())
}

// list appends n values between brackets, with commas.
func list(b []byte, open, end byte, n int, value func(b []byte, i int) ([]byte, error)) (_ []byte, err error) {
	b = append(b, open)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = value(b, i); err != nil {
			return nil, err
		}
	}
	return append(b, end), nil
}

// quote appends a text.
func quote(b []byte, text string) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // for people, not for browsers
	err := encoder.Encode(text)
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), err
}

func encodeMap(b []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(b, "null"...), nil
	}
	if v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a %s cannot be written as JSON: its keys are no texts", v.Type())
	}
	values := map[string]reflect.Value{}
	for key, value := range v.Seq2() {
		values[key.String()] = value
	}
	names := slices.Sorted(maps.Keys(values))
	return list(b, '{', '}', len(names), func(b []byte, i int) ([]byte, error) { return member(b, names[i], values[names[i]]) })
}

func encodeStruct(b []byte, v reflect.Value) ([]byte, error) {
	fields, err := fieldsOf(v.Type())
	if err != nil {
		return nil, err
	}
	fields = slices.DeleteFunc(fields, func(f field) bool { return f.omitZero && v.Field(f.index).IsZero() })
	return list(b, '{', '}', len(fields), func(b []byte, i int) ([]byte, error) {
		return member(b, fields[i].name, v.Field(fields[i].index))
	})
}

// member appends a name and its value.
func member(b []byte, name string, v reflect.Value) ([]byte, error) {
	b, err := quote(b, name)
	if err != nil {
		return nil, err
	}
	if b, err = encode(append(b, ':'), v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// field is a field of a struct in its JSON form.
type field struct {
	name     string
	index    int
	omitZero bool
}

// fieldsOf returns the fields of a struct, or an error if one of them would be lost silently.
func fieldsOf(t reflect.Type) ([]field, error) {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case !f.IsExported():
			return nil, fmt.Errorf("a %s cannot be written as JSON: its field %s is not exported", t, f.Name)
		case name == "":
			name = f.Name
		}
		fields = append(fields, field{name, i, strings.Contains(options, "omit")})
	}
	return fields, nil
}
