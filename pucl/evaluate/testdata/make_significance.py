"""Makes significance.json: p-values, q-values and detectable effects by SciPy and statsmodels.

The power of a t test is integrated over the chi-squared distribution here: with two seeds the noncentral t distribution
of SciPy is not accurate enough for the solver of statsmodels. With five and more both agree to 2e-6.

    python make_significance.py

Versions: Python 3.11.7, scipy 1.17.1, statsmodels 0.15.0, numpy 2.4.6.
"""

import json

import numpy as np
from scipy import integrate, optimize, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

rng = np.random.default_rng(7)


def power_of(distance, n):
    critical = stats.t.ppf(0.975, n - 1)

    def given(square):
        limit = critical * np.sqrt(square / (n - 1))
        return (stats.norm.sf(limit - distance) + stats.norm.cdf(-limit - distance)) * stats.chi2.pdf(square, n - 1)

    parts = stats.chi2.ppf([0, 1e-6, 1e-3, 0.05, 0.5, 0.95, 1 - 1e-6, 1 - 1e-13], n - 1)
    return sum(integrate.quad(given, a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in zip(parts, parts[1:]))


def detectable(values, power):
    n = len(values)
    distance = optimize.brentq(lambda d: power_of(d, n) - power, 0.01, 100, xtol=1e-12)
    ours = distance / np.sqrt(n)
    if n >= 5:
        theirs = TTestPower().solve_power(nobs=n, alpha=0.05, power=power, alternative="two-sided")
        assert abs(ours / theirs - 1) < 2e-6, (ours, theirs)
    return float(ours * values.std(ddof=1))


tests = []
for n, mean, number in [(2, 0.3, 0), (3, 1.0, 0.2), (3, -2.0, 0), (5, 0.5, 0.4), (5, 6.0, 0), (10, 0.0, 0), (30, 0.4, -0.1)]:
    values = (mean + rng.normal(size=n)).round(4)
    tests.append({
        "values": values.tolist(), "number": number,
        "above": stats.ttest_1samp(values, number, alternative="greater").pvalue,
        "detectable": [detectable(values, power) for power in (0.5, 0.8, 0.95)],
    })
families = []
for p in [rng.random(12), rng.random(40) ** 4, np.array([0.01, 0.01, 0.04, 0.04, 1.0]), np.array([0.2])]:
    p = p.round(5)
    families.append({"p": p.tolist(), "q": multipletests(p, method="fdr_bh")[1].tolist()})
with open("significance.json", "w") as file:
    json.dump({"tests": tests, "families": families}, file, separators=(",", ":"))
    file.write("\n")
