package theory

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumbersInJSON(t *testing.T) {
	for n, want := range map[Number]string{Exactly(0.25): "0.25", {1, 0.5, 2}: `{"value":1,"low":0.5,"high":2}`} {
		data, err := json.Marshal(n)
		if err != nil || string(data) != want {
			t.Errorf("%s is %s, %v", n, data, err)
		}
		var back Number
		if err := json.Unmarshal(data, &back); err != nil || back != n {
			t.Errorf("%s came back as %s, %v", n, back, err)
		}
	}
	_, err := json.Marshal(Exactly(math.Inf(1)))
	wantError(t, "infinity", err, "unsupported value")
	wantError(t, "text", json.Unmarshal([]byte(`"1"`), new(Number)), "theory", "low")
}
