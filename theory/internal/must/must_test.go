package must

import (
	"errors"
	"testing"
)

// What is no failure of a computation goes on as the panic that it is.
func TestCatch(t *testing.T) {
	run := func(f func()) (err error) {
		defer Catch(&err)
		f()
		return nil
	}
	cause := errors.New("cause")
	for what, f := range map[string]func(){
		"Get":  func() { Get(0, cause) },
		"Get2": func() { Get2(0, 0, cause) },
		"Get3": func() { Get3(0, 0, 0, cause) },
		"Do":   func() { Do(cause) },
		"Wrap": func() { Wrap(cause, "step %d", 3) },
		"Fail": func() { Fail("for a %w", cause) },
	} {
		if err := run(f); !errors.Is(err, cause) {
			t.Errorf("%s ended with %v", what, err)
		}
	}
	if err := run(func() { Do(nil); Wrap(nil, "step") }); err != nil {
		t.Error(err)
	}
	if err := run(func() { Wrap(cause, "step %d", 3) }); err.Error() != "step 3: cause" {
		t.Error(err)
	}
	defer func() {
		if recover() != "other" {
			t.Error("another panic was taken for a failure")
		}
	}()
	t.Error(run(func() { panic("other") }))
}
