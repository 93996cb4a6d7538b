package datasets

import (
	"archive/tar"
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/wholefile"
)

// UnpackOptions bounds the unpacked size, so that a small hostile file cannot fill the disk.
type UnpackOptions struct {
	Bytes int64 // of the decompressed archive, and of all unpacked files; 0 means 8 GiB
	Files int   // files and folders; 0 means 200,000
	// Sums requests a file SHA256SUMS in the folder, with the SHA-256 of every other file in it, in the format of
	// sha256sum. With it readers can check the files after the archive is removed. An archive with such a file keeps
	// its own.
	Sums bool
}

const sumsFile = "SHA256SUMS"

// Unpack unpacks a .tar.gz file (also named .tgz) that holds one folder, to dir/folder, atomically. Files go to a
// temporary folder in dir, which is renamed when the archive has been read to its end and its checksum is correct.
//
// It is an error if dir/folder exists, or if the archive is damaged or larger than opts allows. It is an error if the
// archive holds anything outside the folder, a name that leads out of it ("..", an absolute path), a link, a device, a
// sparse file, or a name twice. Nothing of such an archive remains. Canceling ctx stops with its cause.
func Unpack(ctx context.Context, archive, dir, folder string, opts UnpackOptions) (err error) {
	if folder == "" || folder != filepath.Base(folder) || !filepath.IsLocal(folder) || folder == "." {
		return fmt.Errorf("datasets: cannot unpack to a folder named %q: give a plain name", folder)
	}
	final := filepath.Join(dir, folder)
	if _, err := os.Lstat(final); err == nil {
		return fmt.Errorf("datasets: cannot unpack %s: %s is there already: %w", archive, final, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("datasets: cannot unpack %s: %w", archive, err)
	}
	opts.Bytes, opts.Files = cmp.Or(max(opts.Bytes, 0), 8<<30), cmp.Or(max(opts.Files, 0), 200_000)
	temp, err := os.MkdirTemp(dir, folder+".*"+unpacking)
	if err != nil {
		return fmt.Errorf("datasets: cannot unpack %s: %w", archive, err)
	}
	defer func() {
		if removeErr := os.RemoveAll(temp); err == nil && removeErr != nil {
			err = fmt.Errorf("datasets: unpacked %s, but could not clean up: %w", archive, removeErr)
		}
	}()
	unpacked := filepath.Join(temp, folder)
	err = unpackTo(ctx, archive, temp, folder, opts)
	if err == nil {
		err = syncTree(ctx, unpacked)
	}
	if err == nil {
		err = os.Rename(unpacked, final)
	}
	if fromDisk(err) {
		err = fmt.Errorf("%w; nothing of it is left: make room or mend what is wrong there, and try again", err)
	}
	if err != nil {
		return fmt.Errorf("datasets: cannot unpack %s: %w", archive, err)
	}
	if err := syncPath(dir, true); err != nil {
		return fmt.Errorf("datasets: unpacked %s, but a crash of the system may undo that: %w", archive, err)
	}
	return nil
}

// fromDisk reports whether err is a failure of the file system.
func fromDisk(err error) bool {
	return errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError))
}

// syncTree syncs the files in a folder and below, and all names. It does so in parallel, because each sync waits for
// the disk.
func syncTree(ctx context.Context, folder string) error {
	var paths []string
	var folders []bool
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			paths, folders = append(paths, path), append(folders, d.IsDir())
		}
		return err
	})
	const atOnce = 8
	return cmp.Or(err, inParallel(ctx, len(paths), atOnce, func(i int) error { return syncPath(paths[i], folders[i]) }))
}

// syncPath syncs a file, or the names in a folder. It is a variable so that tests can observe it.
var syncPath = func(path string, isFolder bool) error {
	if isFolder {
		return wholefile.SyncFolder(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// unpacking is the suffix of temporary folders, whose names begin with the final name.
const unpacking = ".unpacking"

// removeUnpacking removes the remains of a killed unpacking.
func removeUnpacking(dir, folder string) error {
	names, err := fs.Glob(os.DirFS(dir), folder+".*"+unpacking)
	for _, name := range names {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
	}
	return err
}

func unpackTo(ctx context.Context, archive, temp, folder string, opts UnpackOptions) (err error) {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	// The root rejects every path out of it, also through a link, whatever the checks below miss.
	root, err := os.OpenRoot(temp)
	if err != nil {
		return err
	}
	defer root.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // ends the reading
	decompressed, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return damaged(ctx, err)
	}
	// At most one byte beyond the limit is read, which shows that there is more.
	left := min(opts.Bytes, math.MaxInt64-1) // bytes left to write
	bounded := &io.LimitedReader{R: decompressed, N: left + 1}
	defer func() {
		if err != nil && (bounded.N == 0 || left < 0) {
			err = fmt.Errorf("it is too large: more than %d bytes once decompressed", opts.Bytes)
		}
	}()
	entries := tar.NewReader(bounded)
	var sums strings.Builder
	for count := 0; ; count++ {
		header, err := entries.Next()
		if err == io.EOF {
			break
		}
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return damaged(ctx, err)
		}
		if count == opts.Files {
			return fmt.Errorf("it holds more than %d files and folders", opts.Files)
		}
		name, sum, err := unpackEntry(ctx, root, folder, header, entries, &left)
		if err != nil {
			return err
		}
		if sum != "" {
			fmt.Fprintf(&sums, "%s  %s\n", sum, strings.TrimPrefix(name, folder+"/"))
		}
	}
	// Padding follows the last entry; reading it makes gzip verify its checksum.
	if _, err := io.Copy(io.Discard, bounded); err != nil || bounded.N == 0 {
		return damaged(ctx, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	info, err := root.Stat(folder)
	if err != nil || !info.IsDir() {
		return fmt.Errorf("it holds no folder %s", folder)
	}
	if !opts.Sums {
		return nil
	}
	file, err := root.OpenFile(filepath.Join(folder, sumsFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(sums.String())
	return errors.Join(err, file.Close())
}

// unpackEntry writes one entry of at most *left bytes, and decrements *left; for a file it returns the name and the
// SHA-256.
func unpackEntry(ctx context.Context, root *os.Root, folder string, header *tar.Header, content io.Reader, left *int64) (
	name, sum string, err error,
) {
	if header.Typeflag == tar.TypeXGlobalHeader { // a comment on the archive
		return "", "", nil
	}
	name = strings.TrimSuffix(strings.TrimPrefix(header.Name, "./"), "/")
	if name == "" && header.Typeflag == tar.TypeDir { // "./"
		return "", "", nil
	}
	local, err := filepath.Localize(name)
	isFolder := header.Typeflag == tar.TypeDir
	err = cmp.Or(
		fault.If(!fs.ValidPath(name) || name == "." || strings.ContainsFunc(name, unicode.IsControl),
			"it holds the name %q, which is not a plain path: that is no archive of a data set", header.Name),
		fault.If(err != nil, "it holds the name %q, which this system cannot have", header.Name),
		fault.If(name != folder && !strings.HasPrefix(name, folder+"/"),
			"it holds %q, outside of the folder %s", header.Name, folder),
		fault.If(isSparse(header), "it holds %q with holes (a sparse file), which no archive of a data set needs", header.Name),
		fault.If(!isFolder && header.Typeflag != tar.TypeReg, "it holds %q, which is neither a file nor a folder (kind %q): "+
			"links and devices are refused", header.Name, header.Typeflag))
	if err == nil && isFolder {
		err = root.MkdirAll(local, 0o755)
	}
	if err != nil || isFolder {
		return "", "", err
	}
	if parent := path.Dir(name); parent != "." {
		if err := root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
			return "", "", err
		}
	}
	file, err := root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", "", fmt.Errorf("it holds %q twice", header.Name)
	}
	if err != nil {
		return "", "", err
	}
	// The bytes read are bounded already; this bounds the bytes written, however tar expands them.
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(content, *left+1))
	if *left -= n; err == nil && *left < 0 {
		err = io.ErrShortWrite
	}
	if err != nil {
		return "", "", errors.Join(damaged(ctx, err), file.Close())
	}
	return name, hex.EncodeToString(hash.Sum(nil)), file.Close()
}

// isSparse reports whether an entry omits runs of zeros, which take no space in the archive but do on the disk.
func isSparse(header *tar.Header) bool {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return header.Typeflag == tar.TypeGNUSparse
}

// damaged returns the error for a failed read. A failure to write looks the same to io.Copy, so the cause is kept.
func damaged(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("the archive is damaged (%w): remove it, and get it again", err)
}
