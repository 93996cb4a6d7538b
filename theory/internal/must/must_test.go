package must

import (
	"errors"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// A panic that is not such a failure continues.
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
		expect.Is(t, run(f), cause, "%s ended with", what)
	}
	expect.NoError(t, run(func() { Do(nil); Wrap(nil, "step") }))
	err := run(func() { Wrap(cause, "step %d", 3) })
	expect.That(t, err.Error() == "step 3: cause", "%v", err)
	defer func() { expect.That(t, recover() == "other", "another panic was taken for a failure") }()
	t.Error(run(func() { panic("other") }))
}
