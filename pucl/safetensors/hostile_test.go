package safetensors

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
)

// A header of many million names would take twenty times its size in memory; it is refused long before.
func TestHeadersOfTooManyNames(t *testing.T) {
	for _, tt := range []struct{ open, format, close string }{
		{"{", `"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, "}"},
		{`{"__metadata__":{`, `"%d":""`, "}}"},
	} {
		var header strings.Builder
		header.WriteString(tt.open)
		for i := range 4 * maxNames {
			if i > 0 {
				header.WriteByte(',')
			}
			fmt.Fprintf(&header, tt.format, i)
		}
		header.WriteString(tt.close)
		data := raw(header.String())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(data)
		runtime.ReadMemStats(&after)
		refusal.Check(t, err, "more than 131072 names … download the file again")
		if took := after.TotalAlloc - before.TotalAlloc; took > 400<<20 {
			t.Errorf("refusing %d bytes allocated %d MiB", len(data), took>>20)
		}
	}
}
