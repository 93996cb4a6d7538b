package datasets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.gz")
	if got, err := readRecord(path); got != "" || err != nil {
		t.Errorf("no record: %q, error %v", got, err)
	}
	sum := strings.Repeat("ab", 32)
	if err := writeRecord(path, sum); err != nil {
		t.Fatal(err)
	}
	if got, err := readRecord(path); got != sum || err != nil {
		t.Errorf("%q, error %v, want %q", got, err, sum)
	}
	for name, text := range map[string]string{"another file": sum + "  other.gz\n", "no sum": "ab  data.gz\n", "empty": ""} {
		if err := os.WriteFile(path+recordSuffix, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := readRecord(path)
		if err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%s: error %v, want one that says to remove the record", name, err)
		}
	}
}
