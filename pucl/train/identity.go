package train

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl/safetensors"
)

// field is one field of the identity of a run.
type field struct{ Name, Value string }

// settingsIdentity holds the [Settings] that determine the numbers of a run. Devices and Recompute change them by
// rounding alone, and a run may resume with other values.
type settingsIdentity struct {
	Steps        int
	LearningRate float64
	Optimizer    string
	Schedule     string
	BFloat16     bool
	MicroBatches int
}

func (s Settings) identity() settingsIdentity {
	return settingsIdentity{s.Steps, s.LearningRate, s.optimizerName(), s.Schedule.String(), s.Compute.BFloat16, s.Compute.microBatches()}
}

// identity returns the fields of the task's identity and of the settings.
func (r *run) identity() []field {
	all := []field{{"Task", r.Name}}
	if r.Task.Identity != nil {
		all = append(all, fieldsOf(r.Task.Identity)...)
	}
	return append(all, fieldsOf(r.Settings.identity())...)
}

// fieldsOf returns the exported fields of a struct, in order.
func fieldsOf(identity any) []field {
	value := reflect.ValueOf(identity)
	var fields []field
	for i := range value.NumField() {
		if of := value.Type().Field(i); of.IsExported() {
			format := "%v"
			if of.Type == reflect.TypeFor[[]string]() {
				format = "%q" // distinguishes "a b" from "a" and "b"
			}
			text := fmt.Sprintf(format, value.Field(i).Interface())
			fields = append(fields, field{of.Name, strings.ToValidUTF8(text, "\uFFFD")}) // as files store it
		}
	}
	return fields
}

// differences lists the differing fields of two runs, a line each.
func differences(there, asked []field) string {
	values := map[string][2]string{} // there and asked, by name
	var names []string
	for side, fields := range [][]field{asked, there} {
		for _, f := range fields {
			both, ok := values[f.Name]
			if !ok {
				names, both = append(names, f.Name), [2]string{"not recorded", "not recorded"}
			}
			both[1-side] = f.Value
			values[f.Name] = both
		}
	}
	var out strings.Builder
	for _, name := range names {
		if v := values[name]; v[0] != v[1] {
			fmt.Fprintf(&out, "\n  %s: there %s, asked for %s", name, v[0], v[1])
		}
	}
	return out.String()
}

// Digest returns the SHA-256 of the parts in hexadecimal digits, with unambiguous borders between the parts. An
// identity uses it for data too long to store.
func Digest(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d:", len(part))
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// weightsDigest returns the [Digest] of tensors with their names, types and shapes, "" for none.
func weightsDigest(weights map[string]safetensors.Tensor) string {
	if weights == nil {
		return ""
	}
	var parts [][]byte
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		w := weights[name]
		parts = append(parts, fmt.Appendf(nil, "%s %v %v", name, w.DType, w.Shape), w.Data)
	}
	return Digest(parts...)
}
