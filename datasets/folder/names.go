package folder

import "github.com/puclab/puclab/datasets/internal/classes"

// Imagenette returns the names of the ten classes of Imagenette, by the names of their folders: for Config.Names.
//
// Source: Howard, "Imagenette", github.com/fastai/imagenette.
func Imagenette() map[string]string { return byFolder(classes.ImagenetteFolders, classes.Imagenette) }

// Imagewoof returns the names of the ten classes of Imagewoof, ten breeds of dogs, by the names of their folders. The
// source is that of [Imagenette].
func Imagewoof() map[string]string { return byFolder(classes.ImagewoofFolders, classes.Imagewoof) }

func byFolder(folders, names []string) map[string]string {
	all := map[string]string{}
	for i, folder := range folders {
		all[folder] = names[i]
	}
	return all
}
