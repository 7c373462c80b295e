"""Pictures with boxes of stones only: fits a lattice through the stones and keeps the pictures where it fits well.
Inside the stones' hull every lattice point is then known; outside nothing is."""
import glob
import os

import cv2
import numpy as np

from data import persp, record


def fit(c):
    """Homography lattice -> picture through stone centres, with integer places; None if they don't lie on one."""
    d = np.linalg.norm(c[:, None] - c[None], axis=-1)
    np.fill_diagonal(d, 1e9)
    p = np.median(d.min(1))
    i, j = np.nonzero((d > .75 * p) & (d < 1.25 * p))
    if len(i) < 30:
        return None
    v = c[j] - c[i]
    a = np.angle(np.mean(np.exp(4j * np.arctan2(v[:, 1], v[:, 0])))) / 4
    u = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) * p
    start = int(((d < 1.25 * p).sum(1)).argmax())
    at, basis, todo = {start: (0, 0)}, {start: u}, [start]
    while todo:
        k = todo.pop(0)
        b = basis[k]
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1), (2, 0), (-2, 0), (0, 2), (0, -2)):
            q = c[k] + dx * b[0] + dy * b[1]
            e = np.linalg.norm(c - q, axis=1)
            m = int(e.argmin())
            if m in at or e[m] > .3 * p:
                continue
            at[m] = (at[k][0] + dx, at[k][1] + dy)
            n = b.copy()
            if dy == 0:
                n[0] = .7 * n[0] + .3 * (c[m] - c[k]) / dx
            if dx == 0:
                n[1] = .7 * n[1] + .3 * (c[m] - c[k]) / dy
            basis[m] = n
            todo.append(m)
    if len(at) < 25:
        return None
    ks = list(at)
    h, _ = cv2.findHomography(np.float64([at[k] for k in ks]), c[ks], cv2.RANSAC, .25 * p)
    for _ in range(4):
        if h is None:
            return None
        g = persp(np.linalg.inv(h), c)
        r = np.round(g)
        ok = np.abs(g - r).max(1) < .28
        if ok.sum() < 20:
            return None
        h, _ = cv2.findHomography(r[ok], c[ok], 0)
    g = persp(np.linalg.inv(h), c)
    r = np.round(g).astype(int)
    ok = np.abs(g - r).max(1) < .3
    return h, r, ok, np.abs(g - r)[ok].mean()


def load_stones(folder):
    out, tried = [], 0
    for f in sorted(glob.glob(os.path.join(folder, "stones", "*", "images", "*"))):
        lf = f.replace("/images/", "/labels/").rsplit(".", 1)[0] + ".txt"
        rows = [list(map(float, l.split()[:5])) for l in open(lf) if l.strip()]
        tried += 1
        if len(rows) < 35:
            continue
        img = cv2.imread(f)
        h, w = img.shape[:2]
        b = np.array(rows)
        c = b[:, 1:3] * [w, h] - .5
        ar = (b[:, 3] * w) / (b[:, 4] * h)
        inner = (b[:, 1] - b[:, 3] / 2 > .005) & (b[:, 1] + b[:, 3] / 2 < .995) & (b[:, 2] - b[:, 4] / 2 > .005) & (b[:, 2] + b[:, 4] / 2 < .995)
        if inner.sum() < 30 or not .85 < np.median(ar[inner]) < 1.18:
            continue
        z = fit(c[inner])
        if z is None:
            continue
        hm, _, _, _ = z
        g = persp(np.linalg.inv(hm), c)
        r = np.round(g).astype(int)
        ok = (np.abs(g - r).max(1) < .38) & inner
        span = r[ok].max(0) - r[ok].min(0)
        if (ok | ~inner).mean() < .96 or span.max() > 18 or span.min() < 3 or len({tuple(q) for q in r[ok]}) < ok.sum() or np.abs(g - r)[ok].mean() > .12:
            continue
        n = int(max(span.max() + 1, 5))
        o = r[ok].min(0)
        cor = persp(hm, np.array([[0, 0], [n - 1, 0], [n - 1, n - 1], [0, n - 1]]) + o)
        board = np.full((n, n), "?")
        hull = cv2.convexHull(np.float32(r[ok] - o))
        for y in range(n):
            for x in range(n):
                if cv2.pointPolygonTest(hull, (float(x), float(y)), True) > -1e-3:
                    board[y, x] = "."
        for k in range(len(r)):
            x, y = r[k] - o
            if 0 <= x < n and 0 <= y < n:
                board[y, x] = ("BW"[int(b[k, 0])] if ok[k] else "?")
        rec = record(img, n, cor, board, "stones", name=os.path.basename(f))
        hp = cv2.convexHull(np.float32(c[ok]))[:, 0]
        m = hp.mean(0)
        p = np.median(np.linalg.norm(np.diff(rec["pts"], axis=1), axis=-1))
        rec["inside"] = (hp - m) * (1 + .4 * p / np.linalg.norm(hp - m, axis=1, keepdims=True).mean()) + m
        out.append(rec)
    print("stones: %d of %d pictures fit" % (len(out), tried))
    return out


def clean(recs, weights):
    """Checks the lattices with a first read network: moves each to the stones' feet, masks points that the network surely reads
    differently, drops pictures with many of those."""
    import torch
    import nets
    from data import sample_read
    from evaluate import run
    net = nets.Read()
    net.load_state_dict(torch.load(weights))
    net.eval()
    out = []
    for r in recs:
        img, lab, _ = sample_read(r, [], aug=False, jitter=False, corners=True)
        y = run(net, img)[:, 1:-1, 1:-1]
        q = np.exp(y[:4] - y[:4].max(0))
        q /= q.sum(0)
        k, c = q.argmax(0), q.max(0)
        st = (lab > 0) & (k == lab)
        bad = (lab >= 0) & (k != lab) & (c > .6)
        if bad.sum() > .06 * (lab >= 0).sum() or st.sum() < 15:
            continue
        s = np.median(y[4][st]) * np.gradient(r["pts"], axis=1) + np.median(y[5][st]) * np.gradient(r["pts"], axis=0)
        r["pts"], r["base"] = r["pts"] + s, r["base"] + s
        r["inside"] = r["inside"] + s.reshape(-1, 2).mean(0)
        r["lab"][bad] = -1
        out.append(r)
    print("stones: kept %d of %d" % (len(out), len(recs)))
    return out
