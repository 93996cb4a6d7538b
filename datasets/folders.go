package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The environment variables that control where files are searched for and whether they may be downloaded.
const (
	// EnvDataDir names the folder of the user's data sets.
	EnvDataDir = "PUCL_DATA_DIR"
	// EnvOffline forbids downloads; see Offline.
	EnvOffline = "PUCL_OFFLINE"
)

// Offline reports whether the environment variable PUCL_OFFLINE forbids downloads: it does unless it is unset, empty,
// "0" or "false".
func Offline() bool { return !slices.Contains([]string{"", "0", "false"}, os.Getenv(EnvOffline)) }

// Folders returns the folders in which to search for the files of the named data set, in order. If PUCL_DATA_DIR is
// set, its sub-folder of that name and the folder itself come first. Then comes pucl/name in the user's cache folder
// (see os.UserCacheDir), if that exists. It does not check that the folders exist.
func Folders(name string) []string {
	var folders []string
	if dir := os.Getenv(EnvDataDir); dir != "" {
		folders = append(folders, filepath.Join(dir, name), dir)
	}
	if cache, err := os.UserCacheDir(); err == nil { // without a cache folder there is one place fewer
		folders = append(folders, filepath.Join(cache, "pucl", name))
	}
	return folders
}

// DownloadFolder returns the folder for downloads of the named data set: the first of [Folders]. If there is neither
// PUCL_DATA_DIR nor a cache folder, the error states what to set.
func DownloadFolder(name string) (string, error) {
	folders := Folders(name)
	if len(folders) == 0 {
		return "", fmt.Errorf("datasets: no folder to download %s into: "+
			"set the environment variable %s to a folder for data sets", name, EnvDataDir)
	}
	return folders[0], nil
}
