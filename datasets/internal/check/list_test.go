package check

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestList(t *testing.T) {
	expect.NoError(t, List("nothing", nil))
	var errs []error
	for i := range 23 {
		errs = append(errs, fmt.Errorf("error <%d>", i))
	}
	errs[3] = fs.ErrNotExist
	errs[22] = fs.ErrPermission
	for n, more := range map[int]string{1: "", 20: "", 21: "and 1 more", 23: "and 3 more"} {
		err := List(fmt.Sprintf("%d of 30 files", n), errs[:n])
		lines := strings.Split(err.Error(), "\n")
		expect.Equal(t, lines[0], fmt.Sprintf("%d of 30 files:", n))
		expect.Equal(t, lines[1], "error <0>")
		want := 1 + min(n, 20)
		if more != "" {
			want++
			expect.Equal(t, lines[len(lines)-1], more)
		}
		expect.Equal(t, len(lines), want)
		expect.That(t, errors.Is(err, fs.ErrNotExist) == (n > 3), "%d errors: the fourth is found, or not, wrongly", n)
		expect.That(t, !errors.Is(err, fs.ErrPermission), "the error of place 23 is written out")
	}
}
