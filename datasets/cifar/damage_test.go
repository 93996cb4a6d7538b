package cifar

import (
	"bytes"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/internal/damagetest"
)

// A damaged file is never taken for other images where SHA256SUMS lists it; the list itself, damaged, is never taken for one
// that lets other images in. Without a list the program is told to take any content.
func TestFaultDamagedFiles(t *testing.T) {
	const name, list = "cifar-10-batches-bin/test_batch.bin", "cifar-10-batches-bin/SHA256SUMS"
	good := files10()[name].Data
	content := func(images, sums []byte, opts Options) (string, error) {
		files := fstest.MapFS{name: {Data: images}}
		if sums != nil {
			files[list] = &fstest.MapFile{Data: sums}
		}
		set, _, err := tiny10().load(files, Test, opts)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(set.Labels) + string(set.Pixels), nil
	}
	lines := []byte(sums(files10(), name).Data)
	for _, tt := range []struct {
		name    string
		data    []byte
		checked bool
		read    func(data []byte) (string, error)
	}{
		{"images, listed", good, true, func(data []byte) (string, error) { return content(data, lines, Options{}) }},
		{"SHA256SUMS", lines, true, func(data []byte) (string, error) { return content(good, bytes.Clone(data), Options{}) }},
		{"images, any content", good, false, func(data []byte) (string, error) { return content(data, nil, Options{AnyContent: true}) }},
	} {
		result, err := damagetest.Try(tt.data, 1500, tt.read)
		if err != nil || result.Panicked > 0 || result.Refused == 0 || tt.checked && result.Other > 0 || !tt.checked && result.Other == 0 {
			t.Errorf("%s: %v, %v", tt.name, result, err)
		}
		t.Logf("| damaged CIFAR-10 %s, %d bytes | %v |", tt.name, len(tt.data), result)
	}
}
