package evaluate

import (
	"math"
	"testing"
)

// Two of four labeled positives and three of ten of the population are predicted positive; the risk is −0.1 by its parts.
func TestProxies(t *testing.T) {
	s := PU{Recall: 0.5, Predicted: 0.3, ProxyAUC: 0.8, Prior: 0.4, Losses: Losses{Positive: 0.25, PositiveAsNegative: 0.75, UnlabeledAsNegative: 0.5}}
	unknown, silent := s, s
	unknown.Prior, silent.Predicted = 0, 0
	for _, tt := range []struct {
		name  string
		proxy Proxy
		of    PU
		want  float64
	}{
		{"accuracy", ByProxyAccuracy, s, 2*0.4*0.5 + 0.7 - 0.4},
		{"Lee–Liu", ByLeeLiu, s, 0.25 / 0.3},
		{"risk", ByRisk, s, -(0.4*0.25 + 0.5 - 0.4*0.75)},
		{"AUC", ByProxyAUC, s, 0.8},
		{"the default with a prior", nil, s, 0.7},
		{"the default without", nil, unknown, 0.25 / 0.3},
		{"accuracy without a prior", ByProxyAccuracy, unknown, math.NaN()},
		{"risk without a prior", ByRisk, unknown, math.NaN()},
		{"Lee–Liu of nothing", ByLeeLiu, silent, 0},
		{"a proxy of one's own", func(s PU) float64 { return s.Recall }, s, 0.5},
	} {
		if got := tt.proxy.Of(tt.of); !(math.Abs(got-tt.want) <= 1e-15) && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

// Without a prior an epoch that calls nothing positive is chosen where there is no other, and never else; order by AUC would have it.
func TestSilentEpochRanksLowest(t *testing.T) {
	labeled := []bool{true, true, false, false, false, false}
	measure := func(scores ...float64) PU { return must[PU](t)(ScorePU(scores, labeled, 0, ScoreConfig{})) }
	silent := measure(-1, -2, -3, -4, -5, -6)
	coin := measure(1, -1, 1, -1, 1, -1)
	if silent.ProxyAUC <= coin.ProxyAUC || !math.IsNaN(silent.LeeLiu()) {
		t.Fatalf("%v and %v do not tell the proxies apart", silent, coin)
	}
	for _, tt := range []struct {
		runs []PU
		want int
	}{{[]PU{silent, coin}, 2}, {[]PU{coin, silent}, 1}, {[]PU{silent, silent}, 1}} {
		var epochs []Epoch
		for i, s := range tt.runs {
			epochs = append(epochs, Epoch{Epoch: i + 1, Proxy: Proxy(nil).Of(s)})
		}
		if s := must[Selection](t)(Select(epochs)); s.WithoutNegatives.Epoch != tt.want {
			t.Errorf("epoch %d, want %d", s.WithoutNegatives.Epoch, tt.want)
		}
	}
}
