package peak

import (
	"os"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestBytes(t *testing.T) {
	before, err := Bytes()
	if _, none := os.Stat("/proc/self/status"); none != nil {
		expect.That(t, err != nil, "%d bytes where the system does not tell", before)
		return
	}
	expect.NoError(t, err)
	block := make([]byte, 256<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	if after, err := Bytes(); err != nil || before < 1<<20 || after < 256<<20 || after < before {
		t.Errorf("%d bytes, then %d with a block of %d, %v", before, after, len(block), err)
	}
}
