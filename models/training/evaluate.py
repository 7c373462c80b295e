"""Figures a source: locate (peaks against true crossings) and read (points given the true corners); temperature of read."""
import random

import cv2
import numpy as np
import torch

from data import nominal, persp, pitch_of, sample_read, unit


def peaks(heat, thr=.3):
    """Sub-pixel maxima of a map: (x, y, value) in cells."""
    d = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= d) & (heat > thr))
    p = np.pad(heat, 1, mode="edge")
    c, l, r, u, b = p[ys + 1, xs + 1], p[ys + 1, xs], p[ys + 1, xs + 2], p[ys, xs + 1], p[ys + 2, xs + 1]
    lg = lambda v: np.log(np.maximum(v, 1e-3))
    f = lambda a, m, z: np.clip((lg(a) - lg(z)) / (2 * (lg(a) + lg(z) - 2 * lg(m)) - 1e-6), -.5, .5)
    return np.stack([xs + f(l, c, r), ys + f(u, c, b), c], 1)


def photo_view(r, side=512):
    h, w = r["img"].shape[:2]
    s = side / max(h, w)
    ow, oh = int(round(w * s / 16)) * 16, int(round(h * s / 16)) * 16
    sx, sy = ow / w, oh / h
    m = np.array([[sx, 0, (sx - 1) / 2], [0, sy, (sy - 1) / 2], [0, 0, 1]])
    return cv2.resize(r["img"], (ow, oh), interpolation=cv2.INTER_AREA), persp(m, r["pts"])


def rect_view(r, rough=.4, pitch=22):
    n = r["n"]
    ix = ([0, 0, -1, -1], [0, -1, -1, 0])
    rg = np.random.RandomState(5)
    dst = (unit(n) + 2 + rg.uniform(-rough, rough, (4, 2))) * pitch
    side = -(-int((n + 3) * pitch) // 16) * 16
    m = cv2.getPerspectiveTransform(np.float32(r["pts"][ix]), np.float32(dst)).astype(np.float64)
    img, mm = r["img"], m
    if np.median(pitch_of(r["pts"])) > 1.6 * pitch:
        img, mm = r["half"], m @ np.array([[2, 0, .5], [0, 2, .5], [0, 0, 1.]])
    return cv2.warpPerspective(img, mm, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), persp(m, r["pts"])


def run(net, img):
    x = torch.from_numpy(np.ascontiguousarray(img.transpose(2, 0, 1))[None].astype(np.float32) / 255)
    with torch.no_grad():
        return net(x)[0].numpy()


def score_locate(net, recs, view):
    """Per source: crossings hit within .25 pitch, of the right kind, mean error in pitches, false peaks a picture, pictures with >= 98 % hit and <= 2 false."""
    net.eval()
    out = {}
    for r in recs:
        img, pts = view(r)
        y = 1 / (1 + np.exp(-run(net, img)))
        h3 = y[:3].max(0)
        pk = peaks(h3)
        xy = pk[:, :2] * 2 + .5
        kind = y[:3, np.clip(np.round(pk[:, 1]).astype(int), 0, h3.shape[0] - 1), np.clip(np.round(pk[:, 0]).astype(int), 0, h3.shape[1] - 1)].argmax(0)
        lab, pit = r["lab"], pitch_of(pts)
        use = lab.ravel() >= 0
        use &= lab.ravel() != 3
        p, pi, l = pts.reshape(-1, 2), pit.ravel(), lab.ravel()
        if len(xy):
            d = np.linalg.norm(p[:, None] - xy[None], axis=-1) / pi[:, None]
            j, hit = d.argmin(1), d.min(1) < .25
            false = (d.min(0) > .5).sum()
            right = hit & (kind[j] == l)
            err = d.min(1)[hit & use]
        else:
            hit = right = np.zeros(len(p), bool)
            false, err = 0, np.array([])
        o = out.setdefault(r["source"], [0, 0, 0, 0, 0, 0, 0., 0])
        a = hit[use].mean() if use.any() else 1
        o[0] += 1; o[1] += use.sum(); o[2] += (hit & use).sum(); o[3] += (right & use).sum(); o[4] += false
        o[5] += a >= .98 and false <= 2; o[6] += err.sum(); o[7] += len(err)
    return {s: dict(pictures=o[0], hit=round(o[2] / o[1], 4), kind=round(o[3] / o[1], 4), error=round(o[6] / max(1, o[7]), 3),
                    false_per_picture=round(o[4] / o[0], 2), clean=int(o[5])) for s, o in out.items()}


def score_read(net, recs, jitter=False, collect=None):
    """Per source, given the true corners: accuracy at visible points, perfect boards, hidden precision and recall, offset error."""
    net.eval()
    out = {}
    random.seed(3), np.random.seed(3)
    for r in recs:
        img, lab, off = sample_read(r, [], aug=False, jitter=jitter, corners=True)
        y = run(net, img)[:, 1:-1, 1:-1]
        if collect is not None:
            collect.append((y, lab))
        k = y[:4].argmax(0)
        see, hid = (lab >= 0) & (lab < 3), lab == 3
        ok = (k == lab) & see
        o = out.setdefault(r["source"], np.zeros(9))
        st = ~np.isnan(off[..., 0])
        e = np.abs(np.where(st, y[4] - off[..., 0], 0)) + np.abs(np.where(st, y[5] - off[..., 1], 0))
        o += [1, see.sum(), ok.sum(), ok.sum() == see.sum(), (hid & (k == 3)).sum(), hid.sum(), ((k == 3) & (see | hid)).sum(), e.sum() / 2, st.sum()]
    return {s: dict(boards=int(o[0]), accuracy=round(o[2] / max(1, o[1]), 5), perfect=int(o[3]), hidden_recall=round(o[4] / max(1, o[5]), 3),
                    hidden_precision=round(o[4] / max(1, o[6]), 3), offset_error=round(o[7] / max(1, o[8]), 3)) for s, o in out.items()}


def temperature(net, recs):
    got = []
    score_read(net, recs, jitter=True, collect=got)
    z = np.concatenate([y[:4].reshape(4, -1) for y, _ in got], 1)
    l = np.concatenate([l.ravel() for _, l in got])
    z, l = z[:, l >= 0], l[l >= 0]

    def nll(t):
        q = z * t
        q = q - q.max(0)
        q = q - np.log(np.exp(q).sum(0))
        return -q[l, np.arange(len(l))].mean()
    ts = np.exp(np.linspace(np.log(.3), np.log(2.5), 60))
    best = float(ts[int(np.argmin([nll(t) for t in ts]))])
    q = np.exp(z * best - (z * best).max(0))
    q /= q.sum(0)
    k, c = q.argmax(0), q.max(0)
    table = []
    for a, b in ((0, .5), (.5, .7), (.7, .9), (.9, .97), (.97, .99), (.99, .997), (.997, 1.01)):
        m = (c >= a) & (c < b)
        if m.sum():
            table.append(dict(from_=a, to=min(b, 1), points=int(m.sum()), mean=round(float(c[m].mean()), 4), right=round(float((k == l)[m].mean()), 4)))
    return best, nll(best), nll(1.0), table
