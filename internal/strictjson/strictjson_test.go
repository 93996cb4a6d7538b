package strictjson

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

type inner struct {
	Rank  float64
	Names []string
}

type all struct {
	inner   `json:"-"`
	Float   float64
	Single  float32
	Numbers []float64
	Int     int64
	Small   uint8
	Yes     bool
	Text    string
	Pair    [2]int
	Map     map[string]inner
	Pointer *inner
	None    *inner
	NoList  []int
	NoMap   map[string]int
	Empty   []int
	When    time.Time
	Took    time.Duration
	Renamed int `json:"other"`
	Gone    int `json:"gone,omitempty"`
	Left    int `json:"-"`
}

func full() all {
	return all{
		Float: -1.0 / 3, Single: 1.0 / 3, Numbers: []float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1)},
		Int: math.MinInt64, Small: 255, Yes: true, Text: "a \"b\" <é>\n", Pair: [2]int{1, 2},
		Map: map[string]inner{"b": {Rank: 2}, "a": {Rank: math.Inf(1), Names: []string{"x"}}}, Pointer: &inner{Rank: 1e-7},
		Empty: []int{}, When: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Took: time.Second, Renamed: 3,
	}
}

// Every value is restored bit for bit, whatever the target held before.
func TestRoundTrip(t *testing.T) {
	want := full()
	data, err := Marshal(want)
	expect.NoError(t, err)
	got := all{None: &inner{}, NoList: []int{1}, NoMap: map[string]int{"a": 1}, Gone: 7}
	expect.NoError(t, Unmarshal(data, &got))
	expect.That(t, reflect.DeepEqual(got, want), "%+v came back as\n%+v, by\n%s", want, got, data)
	expect.That(t, math.Signbit(got.Numbers[4]), "-0 lost its sign")
	var nan float64
	if data, err = Marshal(math.NaN()); err != nil || Unmarshal(data, &nan) != nil || !math.IsNaN(nan) {
		t.Errorf("NaN came back as %g by %s, %v", nan, data, err)
	}
	again := expect.Must(Marshal(got))(t)
	expect.That(t, !strings.Contains(string(again), "gone"), "%s", again)
}

// A field that the type lacks, or has with another type, is an error that gives the position.
func TestStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"Float": 1, "Float": 1}`:        "twice",
		`{"float": 1}`:                    "float: a strictjson.all has no such field",
		`{"Map": {"a": {"Rnk": 1}}}`:      "Map: a: Rnk: a strictjson.inner has no such field",
		`{"Gone": 1}`:                     "no such field",
		`{"Float": null}`:                 "Float: null stands where a float64 should",
		`{"Float": "x"}`:                  "Float: x stands where",
		`{"Float": "Inf"}`:                "Float: Inf stands where",
		`{"Float": 1e999}`:                "range",
		`{"Int": 1.5}`:                    "invalid syntax",
		`{"Small": 256}`:                  "range",
		`{"Small": -1}`:                   "invalid syntax",
		`{"Yes": 1}`:                      "Yes: 1 stands where a bool should",
		`{"Text": 1}`:                     "Text: 1 stands where a string should",
		`{"Text": []}`:                    "Text: [ stands where a string should",
		`{"Pair": [1]}`:                   "1 values for a [2]int",
		`{"Pair": [1, 2, 3]}`:             "more than 2 values",
		`{"When": 1}`:                     "When: 1 stands where a time.Time should",
		`{"When": "x"}`:                   "When: ",
		`{} {}`:                           "something follows",
		`{`:                               "EOF",
		`{"Numbers": [1`:                  "EOF",
		``:                                "EOF",
		`nonsense`:                        "invalid character",
		`{"Pointer": {"Rank": 1}, "x":1}`: "x: a strictjson.all has no such field",
	} {
		var v all
		expect.Error(t, Unmarshal([]byte(text), &v), want)
	}
	for _, v := range []any{struct{ hidden int }{1}, map[int]int{1: 1}, func() {}, []any{func() {}}} {
		data, err := Marshal(v)
		expect.That(t, err != nil, "%T was written as %s", v, data)
	}
}

// FuzzUnmarshal decodes any text without a panic. A text that it can decode has an encoding that decodes to the same
// value.
func FuzzUnmarshal(f *testing.F) {
	data := expect.Must(Marshal(full()))(f)
	f.Add(data)
	f.Add([]byte(`{"Numbers": ["NaN", 1e2], "Map": null, "Pointer": {}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, again all
		if Unmarshal(data, &v) != nil {
			return
		}
		first, err := Marshal(v)
		if err != nil {
			return // a year outside RFC 3339
		}
		expect.NoError(t, Unmarshal(first, &again))
		expect.Equal(t, string(expect.Must(Marshal(again))(t)), string(first), "%s became", first)
	})
}

func ExampleMarshal() {
	data, err := Marshal(map[string][]float64{"losses": {0.1, math.NaN()}})
	fmt.Println(string(data), err)
	// Output: {"losses":[0.1,"NaN"]} <nil>
}
