package content

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/puclab/puclab/internal/expect"
)

// The sums of "abc", from the standards.
const (
	abcSHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	abcMD5    = "900150983cd24fb0d6963f7d28e17f72"
)

func TestCheck(t *testing.T) {
	fsys := fstest.MapFS{"f": {Data: []byte("abc")}, "g": {Data: []byte("abd")}, "d/x": {}}
	for _, sum := range []Sum{abcSHA256, abcMD5, ""} {
		expect.NoError(t, Check(fsys, "f", 3, sum))
	}
	expect.NoError(t, Check(fsys, "g", 3, ""))
	expect.Error(t, Check(fsys, "g", 3, abcSHA256), "g holds something else", "SHA-256", abcSHA256)
	// The other sum is the MD5 of "abd".
	expect.Error(t, Check(fsys, "g", 3, abcMD5), "g holds something else", "MD5", abcMD5,
		"4911e516e5aa21d327512e0c8b197616")
	expect.Error(t, Check(fsys, "f", 4, ""), "f has 3 bytes, not 4")
	expect.Error(t, Check(fsys, "f", 2, abcMD5), "f has 3 bytes, not 2")
	expect.Error(t, Check(fsys, "d", 3, ""), "d is a folder")
	expect.Is(t, Check(fsys, "h", 3, ""), fs.ErrNotExist, "missing file")
}

func TestFirst(t *testing.T) {
	fsys := fstest.MapFS{"b": {}, "d/a": {}}
	for _, tt := range []struct {
		names []string
		want  string
	}{{[]string{"a", "b", "d/a"}, "b"}, {[]string{"d/a", "b"}, "d/a"}, {[]string{"a"}, ""}, {nil, ""}} {
		got, err := First(fsys, "nothing there", tt.names...)
		expect.That(t, got == tt.want && (err == nil) == (tt.want != ""), "%q: %q, error %v", tt.names, got, err)
		expect.That(t, err == nil || errors.Is(err, fs.ErrNotExist) && err.Error() == "nothing there",
			"%q: error %v", tt.names, err)
	}
	// Another failure than a missing file ends the search: later files may be the wrong ones.
	broken := errors.New("broken disk")
	got, err := First(failing{broken}, "nothing there", "a", "b")
	expect.That(t, errors.Is(err, broken) && got == "", "a broken disk: %q, error %v", got, err)
}

// failing is a file system in which every Open fails.
type failing struct{ err error }

func (f failing) Open(string) (fs.File, error) { return nil, f.err }

// liar is a file system whose one file reports a size of three bytes.
type liar struct{ content io.Reader }

func (l liar) Open(string) (fs.File, error) {
	honest, err := fstest.MapFS{"f": {Data: []byte("abc")}}.Open("f")
	return lying{honest, l.content}, err
}

type lying struct {
	fs.File
	content io.Reader
}

func (l lying) Read(p []byte) (int, error) { return l.content.Read(p) }

func TestFileThatIsNotAsLongAsItSays(t *testing.T) {
	err := Check(liar{strings.NewReader("ab")}, "f", 3, abcMD5)
	expect.Error(t, err, "f is cut short", "2 of 3")
	expect.That(t, errors.Is(err, io.ErrUnexpectedEOF), "error %v does not wrap io.ErrUnexpectedEOF", err)
	expect.Error(t, Check(liar{strings.NewReader("abcd")}, "f", 3, abcMD5), "goes on after its 3 bytes")
	all := func(r io.Reader) error {
		_, err := io.ReadAll(r)
		return err
	}
	expect.Error(t, With(liar{strings.NewReader("ab")}, "f", 3, "", all), "f is cut short", "2 of 3")
	expect.Error(t, With(liar{strings.NewReader("abcd")}, "f", 3, "", all), "goes on after its 3 bytes")
	broken := errors.New("broken disk")
	expect.Is(t, Check(liar{iotest.ErrReader(broken)}, "f", 3, abcMD5), broken)
}

func TestReadSums(t *testing.T) {
	fsys := fstest.MapFS{
		"good":  {Data: []byte(abcSHA256 + "  a b.bin\r\n\n" + strings.ToUpper(abcSHA256) + " *c.bin")},
		"short": {Data: []byte(abcMD5 + "  a.bin\n")},
		"bare":  {Data: []byte(abcSHA256 + "  a.bin\n" + abcSHA256 + "\n")},
		"long":  {Data: make([]byte, 2<<20)},
	}
	sums, err := ReadSums(fsys, "good")
	expect.That(t, err == nil && len(sums) == 2 && sums["a b.bin"] == abcSHA256 && sums["c.bin"] == abcSHA256,
		"sums %v, error %v", sums, err)
	expect.Equal(t, expect.Must(ReadSums(fsys, "missing"))(t), nil, "missing file")
	expect.Error(t, expect.Err(ReadSums(fsys, "short")), "short, line 1")
	expect.Error(t, expect.Err(ReadSums(fsys, "bare")), "bare, line 2")
	expect.Error(t, expect.Err(ReadSums(fsys, "long")), "no list of checksums")
}
