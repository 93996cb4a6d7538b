package strictjson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
)

// Unmarshal sets *v to the value that [Marshal] wrote. The previous value is lost, also after an error.
func Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	to := reflect.ValueOf(v).Elem()
	to.SetZero()
	err := next(d, to)
	if err == nil {
		if _, after := d.Token(); !errors.Is(after, io.EOF) {
			err = errors.New("something follows the value")
		}
	}
	if err != nil {
		return fmt.Errorf("strictjson: %w", err)
	}
	return nil
}

// next reads the next value.
func next(d *json.Decoder, v reflect.Value) error {
	token, err := d.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	return decode(d, token, v)
}

// decode reads the value that begins with token.
func decode(d *json.Decoder, token json.Token, v reflect.Value) error {
	if token == nil {
		return null(v)
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return decode(d, token, v.Elem())
	}
	if to, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		text, isText := token.(string)
		if !isText {
			return unfit(token, v)
		}
		return to.UnmarshalText([]byte(text))
	}
	switch token := token.(type) {
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(token)
			return nil
		}
	case string:
		if v.CanFloat() && slices.Contains(notFinite, token) {
			return number(token, v)
		}
		if v.Kind() == reflect.String {
			v.SetString(token)
			return nil
		}
	case json.Number:
		return number(token.String(), v)
	case json.Delim:
		switch v.Kind() {
		case reflect.Slice, reflect.Array:
			if token == '[' {
				return elements(d, v)
			}
		case reflect.Map, reflect.Struct:
			if token == '{' {
				return members(d, v)
			}
		}
	}
	return unfit(token, v)
}

// null reads null.
func null(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return nil // as it is
	}
	return unfit("null", v)
}

func unfit(token json.Token, v reflect.Value) error {
	return fmt.Errorf("%v stands where a %s should", token, v.Type())
}

// number reads a number in its text.
func number(text string, v reflect.Value) error {
	bits := 0
	if v.CanInt() || v.CanUint() || v.CanFloat() {
		bits = v.Type().Bits()
	}
	var err error
	switch {
	case v.CanFloat():
		var x float64
		x, err = strconv.ParseFloat(text, bits)
		v.SetFloat(x)
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 10, bits)
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 10, bits)
		v.SetUint(n)
	default:
		return unfit(text, v)
	}
	return err
}

// elements reads the rest of a list.
func elements(d *json.Decoder, v reflect.Value) error {
	isSlice := v.Kind() == reflect.Slice
	if isSlice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0)) // not nil
	}
	n := 0
	for ; d.More(); n++ {
		if isSlice {
			v.Grow(1)
			v.SetLen(n + 1)
		} else if n == v.Len() {
			return fmt.Errorf("more than %d values for a %s", n, v.Type())
		}
		if err := next(d, v.Index(n)); err != nil {
			return err
		}
	}
	if !isSlice && n < v.Len() {
		return fmt.Errorf("%d values for a %s", n, v.Type())
	}
	_, err := d.Token()
	return err
}

// members reads the rest of an object.
func members(d *json.Decoder, v reflect.Value) error {
	var fields []field
	if v.Kind() == reflect.Struct {
		var err error
		if fields, err = fieldsOf(v.Type()); err != nil {
			return err
		}
	} else {
		v.Set(reflect.MakeMap(v.Type()))
	}
	return Members(d, func(name string) error {
		if err := memberOf(d, name, fields, v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// Members calls member with each name of the object whose { was read last, up to its }; member must read the value. A
// duplicate name is an error.
func Members(d *json.Decoder, member func(name string) error) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name := token.(string) // JSON has no other keys; the decoder checks that
		if seen[name] {
			return fmt.Errorf("%q stands there twice", name)
		}
		seen[name] = true
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// memberOf reads the value of a name into a struct with these fields or into a map.
func memberOf(d *json.Decoder, name string, fields []field, v reflect.Value) error {
	if v.Kind() == reflect.Map {
		value := reflect.New(v.Type().Elem()).Elem()
		if err := next(d, value); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), value)
		return nil
	}
	at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if at < 0 {
		return fmt.Errorf("a %s has no such field", v.Type())
	}
	return next(d, v.Field(fields[at].index))
}
