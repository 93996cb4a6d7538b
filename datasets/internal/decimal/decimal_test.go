package decimal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/puclab/puclab/internal/expect"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{
		"3": 3, "-0.5": -0.5, "+1e-3": 1e-3, ".5": 0.5, "5.": 5, "007": 7, "-0": 0, "0e999": 0, "1E5": 1e5,
		"5e-324":           5e-324,
		"9007199254740992": 1 << 53, "9007199254740994.000": 1<<53 + 2, "1.000000000000000056e-01": 0.1,
		"123456789012345680000": 123456789012345680000, "123456789012345683968": 123456789012345680000,
		"1.5e300": 1.5e300,
	} {
		v, fault, ok := Parse(text)
		expect.That(t, ok && v == want && fault == "", "%q: %v, %q, %t; want %v", text, v, fault, ok, want)
	}
	for text, part := range map[string]string{
		"": "", "red": "", "1;2": "", "-": "", "1.2.3": "", "1,2,3": "", "e5": "", "1e": "", "1__0": "",
		"2024-01-05": "",
		"1_500":      "write 1500 ", "12_5": "write 125 ", "0x1p-2": "write 0.25 ", "0X10": "", "0x_1p0": "write 1 ",
		"inf": "not finite", "-Infinity": "not finite", "NAN": "missing", "1e400": "too large", "-1e400": "too large",
		"1e-400": "too small", "9007199254740993": "exactly", "-9007199254740993.0": "exactly",
		"0009007199254740993": "exactly",
		"1,5":                 "decimal point", "−5": "minus sign", "1,000": "thousands", "1.234.567,8": "thousands",
		"1'234.5": "thousands", "12%": "units", "$-5.20": "units", "-€5": "units", "7 €": "units",
		"1 234": "thousands", ",5": "point",
		"1,2e−3": "minus sign", "1.2.2024": "", "192.168.0.1": "", "12 kg": "", "%": "", "$": "", "12/5": "",
		"0x1p9999": "decimal digits",
	} {
		v, fault, ok := Parse(text)
		expect.That(t, !ok && v == 0 && strings.Contains(fault, part) && (part == "") == (fault == ""),
			"%q: %v, %q, %t; want a fault with %q", text, v, fault, ok, part)
	}
}

// Every finite number is parsed exactly from all common formats of programs.
func TestParseIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return
		}
		for _, text := range []string{
			strconv.FormatFloat(v, 'g', -1, 64), strconv.FormatFloat(v, 'f', -1, 64), fmt.Sprintf("%.18e", v),
			fmt.Sprintf("%.1000f", v),
		} {
			if got, fault, ok := Parse(text); !ok || got != v && !(strings.Contains(text,
				".000") && math.Abs(v) < 1e-300) {
				t.Fatalf("%q is read as %v, %q, not %v", text, got, fault, v)
			}
		}
	})
}
