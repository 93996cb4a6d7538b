package evaluate

// Proxy is a measure of held-out PU data by which an epoch is chosen without negatives, higher being better: one of [ByProxyAccuracy],
// [ByLeeLiu], [ByRisk] and [ByProxyAUC], or a function of your own. NaN means that it is not defined.
type Proxy func(PU) float64

// Of returns the measure of s. A nil Proxy is [ByProxyAccuracy] where the class prior is known, else [ByLeeLiu].
//
// In the notebook choosing, epochs chosen by either have an accuracy that is 0.6 points below the best epoch's on Fashion-MNIST and 0.7 on six
// tables, 14 at worst; those chosen by [ByProxyAUC] 1.5 and 2.9, and 70 at worst.
func (p Proxy) Of(s PU) float64 {
	switch {
	case p != nil:
		return p(s)
	case s.Prior > 0:
		return ByProxyAccuracy(s)
	}
	return ByLeeLiu(s)
}

// ByProxyAccuracy is [PU.ProxyAccuracy], NaN where the class prior is not known.
func ByProxyAccuracy(s PU) float64 { return s.ProxyAccuracy() }

// ByLeeLiu is [PU.LeeLiu], which takes no class prior, and 0 where nothing is predicted positive and that is not defined: no classifier
// ranks lower.
func ByLeeLiu(s PU) float64 {
	if s.Predicted == 0 {
		return 0
	}
	return s.LeeLiu()
}

// ByRisk is [PU.Risk] with its sign turned, NaN where the class prior is not known; prior.BBEOfOrder estimates one from PU.Below.
func ByRisk(s PU) float64 { return -s.Risk() }

// ByProxyAUC is [PU.ProxyAUC], which takes neither a class prior nor a threshold. It does not see a threshold that is wrong.
func ByProxyAUC(s PU) float64 { return s.ProxyAUC }
