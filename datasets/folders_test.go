package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFolders(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cached := filepath.Join(cache, "pucl", "shapes")
	dir := t.TempDir()

	t.Setenv(EnvDataDir, dir)
	if got, want := Folders("shapes"), []string{filepath.Join(dir, "shapes"), dir, cached}; !slices.Equal(got, want) {
		t.Errorf("with %s: %q, want %q", EnvDataDir, got, want)
	}
	if got, err := DownloadFolder("shapes"); err != nil || got != filepath.Join(dir, "shapes") {
		t.Errorf("downloads go to %q, %v", got, err)
	}

	t.Setenv(EnvDataDir, "")
	if got, want := Folders("shapes"), []string{cached}; !slices.Equal(got, want) {
		t.Errorf("without %s: %q, want %q", EnvDataDir, got, want)
	}
	if got, err := DownloadFolder("shapes"); err != nil || got != cached {
		t.Errorf("downloads go to %q, %v", got, err)
	}

	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "home"} { // what os.UserCacheDir goes by
		t.Setenv(name, "")
	}
	_, err = DownloadFolder("shapes")
	wantError(t, err, "shapes", EnvDataDir)
}
