package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/naming"
)

// Archive is a published data set in one .tar.gz file, returned by [FindArchive]. (Fashion-MNIST consists of plain
// files: see package fashionmnist.)
type Archive struct {
	Name   string        // name of the data set and of its folder: "cifar-10"
	File   RemoteFile    // the official file
	Folder string        // folder in the archive
	Unpack UnpackOptions // limits for unpacking
	Terms  string        // authors and terms of use
}

const (
	fastAI     = "https://s3.amazonaws.com/fast-ai-imageclas/"
	cifarTerms = "Alex Krizhevsky, \"Learning Multiple Layers of Features from Tiny Images\", 2009. No license is stated; " +
		"the author asks to cite this report."
	netteTerms = "fast.ai, a part of ImageNet; the license of the collection is Apache 2.0, the images have ImageNet's terms."
)

// archives are the official files. Sizes and SHA-256 sums are those pinned by TensorFlow Datasets and GoMLX. No SHA-256
// is published for today's files of Imagewoof; the sums of the first MiB are those of the fastai library. TensorFlow
// Datasets pins the earlier files.
var archives = []Archive{
	cifarArchive("cifar-10", "cifar-10-batches-bin", 170_052_171, "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"),
	cifarArchive("cifar-100", "cifar-100-binary", 168_513_733, "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"),
	{
		Name: "stl10", Folder: "stl10_binary", Unpack: UnpackOptions{Bytes: 4 << 30, Files: 100, Sums: true},
		Terms: "Adam Coates, Honglak Lee and Andrew Y. Ng, \"An Analysis of Single Layer Networks in Unsupervised Feature " +
			"Learning\", 2011. The images come from ImageNet; the authors ask to cite this paper.",
		File: RemoteFile{Name: "stl10_binary.tar.gz", Size: 2_640_397_119,
			SHA256: "f31fd99273a1acb8609c8db427cebb1de3f71de77758cdc0e22956e1289b9866",
			URLs:   []string{"http://ai.stanford.edu/~acoates/stl10/stl10_binary.tar.gz"}},
	},
	fastAIArchive("imagenette2-160", 99_003_388, "64d0c4859f35a461889e0147755a999a48b49bf38a7e0f9bd27003f10db02fe5",
		"c475f8f7617a200ba35b9facc48443c3"),
	fastAIArchive("imagenette2-320", 341_663_724, "569b4497c98db6dd29f335d1f109cf315fe127053cedf69010d047f0188e158c",
		"1f1f74f133caff120e575856659b87a2"),
	fastAIArchive("imagewoof2-160", 92_612_825, "", "3559b194123981a540b87132dbda412f",
		OlderFile{92_560_471, "663c22f69c2802d85e2a67103c017e047096702ffddf9149a14011b7002539bf"}),
	fastAIArchive("imagewoof2-320", 328_387_740, "", "7a1fd92672a559a85de76e4810a20c21",
		OlderFile{328_288_506, "4e4905ed7643120daaf9bf3b2ef7f3a7e8396d9bdaf254a38c6f01f618b4973d"}),
}

func cifarArchive(name, folder string, size int64, sum string) Archive {
	file := name + "-binary.tar.gz"
	return Archive{
		Name: name, Folder: folder, Terms: cifarTerms, Unpack: UnpackOptions{Bytes: 256 << 20, Files: 100, Sums: true},
		File: RemoteFile{Name: file, Size: size, SHA256: sum,
			URLs: []string{"https://www.cs.toronto.edu/~kriz/" + file, "https://cave.cs.toronto.edu/kriz/" + file}},
	}
}

func fastAIArchive(name string, size int64, sum, firstMiB string, older ...OlderFile) Archive {
	file := name + ".tgz"
	return Archive{
		Name: name, Folder: name, Terms: netteTerms, Unpack: UnpackOptions{Bytes: 1 << 30, Files: 20_000, Sums: true},
		File: RemoteFile{Name: file, Size: size, SHA256: sum, FirstMiB: firstMiB, URLs: []string{fastAI + file}, Older: older},
	}
}

// Archives returns all archives that can be fetched by name. The caller may modify the slices.
func Archives() []Archive {
	all := slices.Clone(archives)
	for i := range all {
		all[i].File.URLs, all[i].File.Older = slices.Clone(all[i].File.URLs), slices.Clone(all[i].File.Older)
	}
	return all
}

// FindArchive returns the archive of the named data set, ignoring case. For an unknown name the error lists all names.
func FindArchive(name string) (Archive, error) {
	return findNamed("archive of a data set", Archives(), func(a Archive) string { return a.Name }, name)
}

// findNamed returns the value with that name, ignoring case. For an unknown name the error lists all names of that
// kind.
func findNamed[T any](kind string, all []T, nameOf func(T) string, name string) (found T, err error) {
	var names []string
	for _, v := range all {
		if strings.EqualFold(nameOf(v), name) {
			return v, nil
		}
		names = append(names, nameOf(v))
	}
	return found, fmt.Errorf("datasets: there is no %s %q%s: use one of %s", kind, name, naming.DidYouMean(name, names), strings.Join(names, ", "))
}

// Find returns the folder of the unpacked data set, ready for os.DirFS: the first a.Folder within one of [Folders]. It
// does not check the contents; readers do. If there is none the error wraps fs.ErrNotExist and names the places.
func (a Archive) Find() (dir string, err error) {
	folders := Folders(a.Name)
	for i, parent := range folders {
		dir := filepath.Join(parent, a.Folder)
		folders[i] = dir
		switch info, err := os.Stat(dir); {
		case err == nil && info.IsDir():
			return dir, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("datasets: looking for %s: %w", a.Name, err)
		}
	}
	return "", fmt.Errorf("datasets: %s is in none of these places: %s: %w", a.Name, strings.Join(folders, ", "), fs.ErrNotExist)
}

// Get returns the folder of the unpacked data set as Find does. If it is missing, Get unpacks the archive found in one
// of [Folders], or else fetches it first into [DownloadFolder]. [Fetch] describes downloads and their errors, [Unpack]
// unpacking. Several programs may call it concurrently. The archive is kept, so that it need not be fetched again; it
// can be removed.
func (a Archive) Get(ctx context.Context, opts FetchOptions) (dir string, err error) {
	if dir, err := a.Find(); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	parent, err := a.home()
	if err != nil {
		return "", err
	}
	if err := Fetch(ctx, parent, a.File, opts); err != nil {
		return "", err
	}
	unlock, err := acquireLock(ctx, filepath.Join(parent, a.Folder+".lock"))
	switch {
	case err == nil:
		defer unlock()
		// Under the lock nobody unpacks here, so a partial folder is left over from a crash.
		if err := removeUnpacking(parent, a.Folder); err != nil {
			return "", fmt.Errorf("datasets: cannot clean up before unpacking %s: %w", a.File.Name, err)
		}
	case !errors.Is(err, filelock.ErrNone):
		return "", fmt.Errorf("datasets: cannot unpack %s: %w", a.File.Name, err)
	}
	dir = filepath.Join(parent, a.Folder)
	err = Unpack(ctx, filepath.Join(parent, a.File.Name), parent, a.Folder, a.Unpack)
	if err != nil {
		if info, statErr := os.Stat(dir); statErr != nil || !info.IsDir() {
			return "", err
		} // otherwise another program was first
	}
	return dir, nil
}

// home returns the folder that holds the archive, or else the download folder.
func (a Archive) home() (string, error) {
	for _, dir := range Folders(a.Name) {
		if _, err := os.Stat(filepath.Join(dir, a.File.Name)); err == nil {
			return dir, nil
		}
	}
	return DownloadFolder(a.Name)
}
