"""Fits the weights of src/vision/locate/likeness.rs: likeness.py FEATURES.jsonl ...
Each line: {"f": [numbers], "z": logit of the geometric confidence, "y": 1 if the grid is a Go board's and right}. Prints Rust."""
import json
import sys

import numpy as np

rows = [json.loads(l) for f in sys.argv[1:] for l in open(f)]
x = np.array([r["f"] + [np.clip(r["z"], -6, 6) / 4] for r in rows])
y = np.array([r["y"] for r in rows], float)
w = np.ones(len(rows))
w = w * np.where(y > 0, .5 / (w * y).sum(), .5 / (w * (1 - y)).sum())       # both kinds weigh the same
a = np.c_[x, np.ones(len(x))]


def fit(a, y, w, l2):
    b = np.zeros(a.shape[1])
    reg = np.full(a.shape[1], l2)
    reg[-1] = 0
    for _ in range(60):
        p = 1 / (1 + np.exp(-a @ b))
        g = a.T @ (w * (p - y)) + reg * b
        h = (a * (w * p * (1 - p))[:, None]).T @ a + np.diag(reg + 1e-9)
        d = np.linalg.solve(h, g)
        b -= d * min(1, 2 / (np.abs(d).max() + 1e-9))
    return b


names = np.array([r.get("p", str(i)) for i, r in enumerate(rows)])
kinds = {n: i for i, n in enumerate(sorted(set(names)))}
groups = np.array([kinds[n] % 5 for n in names])
for l2 in (.003, .001, .0003, .0001):
    p = np.zeros(len(y))
    for k in range(5):
        m = groups == k
        p[m] = 1 / (1 + np.exp(-a[m] @ fit(a[~m], y[~m], w[~m], l2)))
    print("l2 %g: cross-validated loss %.4f, boards under 0.65: %d of %d, others above: %d of %d" % (
        l2, -(w * (y * np.log(p + 1e-6) + (1 - y) * np.log(1 - p + 1e-6))).sum(), ((p < .65) & (y > 0)).sum(), (y > 0).sum(),
        ((p >= .65) & (y == 0)).sum(), (y == 0).sum()))
    if l2 == .0003:
        for i in np.nonzero(((p < .65) & (y > 0)) | ((p >= .65) & (y == 0)))[0][:40]:
            print("  ", int(y[i]), round(float(p[i]), 2), names[i], rows[i].get("size"), np.round(x[i], 2).tolist())
b = fit(a, y, w, float(3e-4))
print("[" + ", ".join("%.2f" % v for v in b) + "]")
