package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The environment variables that steer where files are looked for and whether they may be downloaded.
const (
	// EnvDataDir names the folder of the user's data sets.
	EnvDataDir = "PUCL_DATA_DIR"
	// EnvOffline forbids downloads; see Offline.
	EnvOffline = "PUCL_OFFLINE"
)

// Offline reports whether the environment variable PUCL_OFFLINE forbids downloads: it does unless it is unset, empty,
// "0" or "false".
func Offline() bool { return !slices.Contains([]string{"", "0", "false"}, os.Getenv(EnvOffline)) }

// Folders returns the folders in which the files of the named data set may be, in the order in which to look: with
// PUCL_DATA_DIR set, its sub-folder of that name and that folder itself; then pucl/name in the user's cache folder (see
// os.UserCacheDir), where there is one. It does not look whether they exist.
func Folders(name string) []string {
	var folders []string
	if dir := os.Getenv(EnvDataDir); dir != "" {
		folders = append(folders, filepath.Join(dir, name), dir)
	}
	if cache, err := os.UserCacheDir(); err == nil { // a user without a cache folder has one place fewer
		folders = append(folders, filepath.Join(cache, "pucl", name))
	}
	return folders
}

// DownloadFolder returns the folder into which the files of the named data set are downloaded: the first of [Folders].
// The error tells what to set where there is neither PUCL_DATA_DIR nor a cache folder.
func DownloadFolder(name string) (string, error) {
	folders := Folders(name)
	if len(folders) == 0 {
		return "", fmt.Errorf("datasets: no folder to download %s into: "+
			"set the environment variable %s to a folder for data sets", name, EnvDataDir)
	}
	return folders[0], nil
}
