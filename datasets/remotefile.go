package datasets

import (
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/puclab/puclab/internal/fault"
)

// RemoteFile describes a file to download and its verification.
type RemoteFile struct {
	Name string // its name in the folder, without a path
	Size int64  // in bytes
	// SHA256 is the checksum of its content, in hexadecimal; "" if none is published. Fetch then records that of the
	// first complete file.
	SHA256 string
	// FirstMiB is the MD5 of the first 2²⁰ bytes, in hexadecimal, if the publisher gives it; otherwise "".
	FirstMiB string
	URLs     []string // addresses, tried in this order
	// Older lists earlier contents of the publisher under this name. An existing file with one of them is accepted; a
	// download brings the current one.
	Older []OlderFile

	recorded bool // SHA256 is from an earlier download
}

// OlderFile identifies an earlier content of a [RemoteFile]. Its size must differ from the current one.
type OlderFile struct {
	Size   int64  // in bytes
	SHA256 string // in hexadecimal
}

const mebibyte = 1 << 20

// sums returns a description of the known checksums.
func (f RemoteFile) sums() string {
	var words []string
	switch {
	case f.SHA256 == "":
		words = append(words, "no SHA-256 published")
	case f.recorded:
		words = append(words, "SHA-256 "+f.SHA256+" as recorded earlier in "+f.Name+recordSuffix)
	default:
		words = append(words, "SHA-256 "+f.SHA256)
	}
	if f.FirstMiB != "" {
		words = append(words, "MD5 of the first MiB "+f.FirstMiB)
	}
	for _, older := range f.Older {
		words = append(words, fmt.Sprintf("or an older one of %d bytes, SHA-256 %s", older.Size, older.SHA256))
	}
	return strings.Join(words, ", ")
}

// validate returns an error for a mistake in the description itself, such as a checksum of the wrong length.
func (f RemoteFile) validate() error {
	sum, err := hex.DecodeString(f.SHA256)
	first, firstErr := hex.DecodeString(f.FirstMiB)
	err = cmp.Or(
		fault.If(f.Name == "" || f.Name != filepath.Base(f.Name) || !filepath.IsLocal(f.Name),
			"datasets: cannot fetch a file named %q: give a plain file name without a folder", f.Name),
		fault.If(f.Size < 1, "datasets: cannot fetch %s: its size of %d bytes is not positive", f.Name, f.Size),
		fault.If(f.SHA256 != "" && (err != nil || len(sum) != sha256.Size),
			"datasets: cannot fetch %s: %q is not a SHA-256 of 64 hexadecimal digits", f.Name, f.SHA256),
		fault.If(f.FirstMiB != "" && (firstErr != nil || len(first) != md5.Size),
			"datasets: cannot fetch %s: %q is not an MD5 of 32 hexadecimal digits", f.Name, f.FirstMiB),
		fault.If(len(f.URLs) == 0, "datasets: cannot fetch %s: no address given", f.Name))
	for _, older := range f.Older {
		sum, sumErr := hex.DecodeString(older.SHA256)
		err = cmp.Or(err, fault.If(sumErr != nil || len(sum) != sha256.Size || older.Size < 1 || older.Size == f.Size,
			"datasets: cannot fetch %s: an older file needs a size of its own and a SHA-256 of 64 hexadecimal digits, "+
				"not %d bytes and %q", f.Name, older.Size, older.SHA256))
	}
	return err
}

// present reports whether the correct file is at path; a wrong one is an error. If no SHA-256 is published it compares
// the recorded one, or records it.
func (f RemoteFile) present(path string) (bool, error) {
	got, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer got.Close()
	info, err := got.Stat()
	if err != nil {
		return false, err
	}
	for _, older := range f.Older {
		if info.Size() == older.Size {
			f.Size, f.SHA256, f.FirstMiB = older.Size, older.SHA256, ""
		}
	}
	record := false
	if f.SHA256 == "" {
		if f.SHA256, err = readRecord(path); err != nil {
			return false, err
		}
		record = f.SHA256 == ""
	}
	sum, err := f.check(got)
	if err != nil {
		return false, fmt.Errorf("another file of that name is in the way (%w): move or remove it and try again", err)
	}
	if record {
		// A read-only folder cannot hold a record; its file is still accepted.
		if err := writeRecord(path, sum); err != nil && !errors.Is(err, fs.ErrPermission) {
			return false, err
		}
	}
	return true, nil
}

// errMismatch means wrong content.
var errMismatch = errors.New("wrong content")

// check reads r to its end, compares size and known checksums, and returns the SHA-256.
func (f RemoteFile) check(r io.Reader) (sum string, err error) {
	hash, first := sha256.New(), md5.New()
	n, err := io.CopyN(io.MultiWriter(hash, first), r, mebibyte)
	if err == nil {
		var rest int64
		rest, err = io.Copy(hash, r)
		n += rest
	}
	if err != nil && err != io.EOF { // EOF means a file below a MiB
		return "", err
	}
	sum, start := hex.EncodeToString(hash.Sum(nil)), hex.EncodeToString(first.Sum(nil))
	return sum, cmp.Or(fault.If(n != f.Size, "%w: %d bytes, not %d", errMismatch, n, f.Size),
		fault.If(f.FirstMiB != "" && !strings.EqualFold(start, f.FirstMiB),
			"%w: MD5 %s of the first MiB, not %s", errMismatch, start, f.FirstMiB),
		fault.If(f.SHA256 != "" && !strings.EqualFold(sum, f.SHA256),
			"%w: SHA-256 %s, not %s", errMismatch, sum, f.SHA256))
}
