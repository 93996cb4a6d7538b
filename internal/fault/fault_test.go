package fault

import (
	"errors"
	"io"
	"testing"
)

func TestIf(t *testing.T) {
	if err := If(false, "%d views: %w", 1, io.EOF); err != nil {
		t.Errorf("an error where nothing is wrong: %v", err)
	}
	if err := If(true, "%d views: %w", 1, io.EOF); !errors.Is(err, io.EOF) || err.Error() != "1 views: EOF" {
		t.Errorf("got %v", err)
	}
}

func TestPanicIf(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, io.EOF) {
			t.Errorf("the panic holds %v, want an error that wraps io.EOF", err)
		}
	}()
	PanicIf(false, "%d views: %w", 1, io.EOF)
	PanicIf(true, "%d views: %w", 1, io.EOF)
	t.Error("no panic")
}
