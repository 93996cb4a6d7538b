package viz

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestBarsErrors(t *testing.T) {
	if _, err := Bars(BarsConfig{}); !errors.Is(err, ErrNoData) {
		t.Errorf("no bar: %v", err)
	}
	for value, want := range map[float64]error{math.Inf(-1): ErrNotFinite, 1e200: ErrRange} {
		if _, err := Bars(BarsConfig{}, Bar{Name: "fine", Value: 1}, Bar{Name: "wrong", Value: value}); !errors.Is(err, want) || !strings.Contains(err.Error(), "wrong") {
			t.Errorf("%g: %v", value, err)
		}
	}
	if _, err := Bars(BarsConfig{}, Bar{Name: "wrong", Value: math.NaN()}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// Each bar shows its number with the decimals asked for, and a figure of zeros can be drawn.
func TestBarsNumbers(t *testing.T) {
	for decimals, want := range map[int][]string{0: {"1.26", "−0.50", "0.00"}, 3: {"1.256", "−0.500", "0.000"}, -1: {"1", "−1", "0"}} {
		for i, value := range []float64{1.2564, -0.5004, 0} {
			p, err := Bars(BarsConfig{Decimals: decimals}, Bar{Name: "a", Value: value})
			if err != nil {
				t.Fatal(err)
			}
			svg, err := encodeSVG(p, 400, 100, "", "")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(svg), ">"+want[i]+"</text>") {
				t.Errorf("%g with %d decimals is not written %q", value, decimals, want[i])
			}
		}
	}
}

// The alternative text says the numbers as the bars do.
func TestBarsAlt(t *testing.T) {
	bars := []Bar{{Name: "printed", Value: -0.5004}, {Name: "measured", Value: 1}}
	if got, want := BarsAlt(BarsConfig{}, bars...), "Bars: printed −0.50; measured 1.00."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	cfg := BarsConfig{Figure: Figure{Title: "Bias", XLabel: "nats"}, Decimals: 3}
	if got, want := BarsAlt(cfg, bars...), "Bias (nats): printed −0.500; measured 1.000."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The data range holds zero, whatever the signs, 16% more beyond the ends, and half a bar's room above and below.
func TestBarsRange(t *testing.T) {
	for _, tt := range []struct {
		values   []float64
		min, max float64
	}{{[]float64{25, 50}, 0, 58}, {[]float64{-25, -50}, -58, 0}, {[]float64{-25, 75}, -41, 91}, {[]float64{0}, 0, 1.16}} {
		b := &bars{}
		for _, v := range tt.values {
			b.list = append(b.list, Bar{Value: v})
		}
		x0, x1, y0, y1 := b.DataRange()
		if x0 != tt.min || x1 != tt.max || y0 != -0.5 || y1 != float64(len(tt.values))-0.5 {
			t.Errorf("%v: range %g to %g by %g to %g", tt.values, x0, x1, y0, y1)
		}
	}
}
