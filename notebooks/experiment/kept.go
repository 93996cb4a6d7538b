package experiment

// Kept returns the folder in which a done run left what later studies can use, such as weights: below work, where it was done.
func Kept(work string, size Size, run Run) string { return deskOf(work, size, run).kept() }
