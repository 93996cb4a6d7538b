package theory

// reporter reports to m.Progress how many batches are to come, and returns what reports that some more have been run.
func (m *Meter) reporter(total float64) func(batches int) {
	if m.Progress == nil {
		return func(int) {}
	}
	done := 0.0
	m.Progress(done, total)
	return func(batches int) {
		done += float64(batches)
		m.Progress(done, total)
	}
}
