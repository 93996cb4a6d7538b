package claims

// undecide sets the verdict aside where something that it rests on was not measured to hold: what was found then says nothing
// of the statement, and nothing stands in its place.
func (f *Finding) undecide(format string, args ...any) {
	f.Corrected, f.CorrectedLaTeX, f.Counterexample = "", "", ""
	f.conclude(Undecided, format, args...)
}
