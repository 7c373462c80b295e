"""Pictures with truth, and the two samplers that cut training pictures out of them."""
import json
import os
import random

import cv2
import numpy as np

import augment
import negatives

cv2.setNumThreads(1)
POSITIVE = 8    # extra weight of the blobs in the heat maps; a continued training (--init) lowers it
SIDE = 1024     # longest side that pictures are kept at
RAISED = .15    # boards are read in the plane in which the middles of the stones lie, so many pitches above the wood
NEARER = .04    # a side is nearer to the camera where its cells look larger by at least this (natural logarithm of the area)


# ---------------------------------------------------------------- records

def persp(h, p):
    p = np.asarray(p, np.float64)
    q = p.reshape(-1, 2) @ h[:, :2].T + h[:, 2]
    return (q[:, :2] / q[:, 2:3]).reshape(p.shape)


def unit(n):
    return np.float32([[0, 0], [n - 1, 0], [n - 1, n - 1], [0, n - 1]])


class Lens:
    """pixel = c + f u (1 + k1 |u|^2) / zoom with u = (ideal - c) / f"""

    def __init__(self, w, h, k1, f, zoom):
        self.c, self.k, self.f, self.z = np.array([(w - 1) / 2, (h - 1) / 2]), k1, f, zoom

    def out(self, p):
        u = (p - self.c) / self.f
        return self.c + self.f * u * (1 + self.k * (u * u).sum(-1, keepdims=True)) / self.z

    def back(self, p):
        v = (p - self.c) / self.f * self.z
        u = v.copy()
        for _ in range(12):
            u = v / (1 + self.k * (u * u).sum(-1, keepdims=True))
        return self.c + self.f * u


def record(img, n, corners, board, source, hidden=(), offsets=(), lens=None, name=""):
    """img BGR; labels: 0 empty, 1 black, 2 white, 3 hidden, -1 unknown. pts: true crossings, base: stones' true centres (pixels)."""
    h, w = img.shape[:2]
    corners = np.float32(corners)
    g = np.stack(np.meshgrid(np.arange(n), np.arange(n)), -1).astype(np.float64)
    off = np.zeros((n, n, 2))
    for r, c, dx, dy in offsets:
        if 0 <= r < n and 0 <= c < n:
            off[r, c] = dx, dy
    ideal = lens.back(corners.astype(np.float64)) if lens else corners
    m = cv2.getPerspectiveTransform(unit(n), np.float32(ideal)).astype(np.float64)
    pts, base = persp(m, g), persp(m, g + off)
    if lens:
        pts, base = lens.out(pts), lens.out(base)
    lab = np.array([[{".": 0, "B": 1, "W": 2}.get(s, -1) for s in row] for row in board], np.int8)
    col = lab.copy()
    for r, c in hidden:
        lab[r, c] = 3
    k = min(1.0, SIDE / max(h, w))
    if k < 1:
        img = cv2.resize(img, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
        pts, base = (pts + .5) * k - .5, (base + .5) * k - .5
    img = np.ascontiguousarray(img[:, :, ::-1])
    half = cv2.resize(img, None, fx=.5, fy=.5, interpolation=cv2.INTER_AREA)
    return dict(img=img, half=half, n=n, pts=pts, base=base, lab=lab, col=col, source=source, name=name, mask=None)


def load_stills(folder):
    out = []
    for e in json.load(open(os.path.join(folder, "truth.json"))):
        img = cv2.imread(os.path.join(folder, e["image"]))
        l = e["lens"]
        r = record(img, e["size"], e["corners"], e["board"], "stills", e["hidden"], e["offsets"],
                   Lens(e["w"], e["h"], l["k1"], l["f"], l["zoom"]), e["image"])
        r["tags"], r["elev"] = e["tags"], e["elevation_deg"]
        out.append(r)
    return out


def load_photos(folder, name):
    out = []
    for e in json.load(open(os.path.join(folder, name, "truth.json"))):
        if not e.get("corners") or not e.get("board"):
            continue
        img = cv2.imread(os.path.join(folder, name, e["image"]))
        out.append(record(img, e["size"], e["corners"], e["board"], name, name=e["image"]))
    return out


def same_texture(a, b, k):
    """Local correlation (windows of k pixels) of two grey pictures: near 1 where b is a, lit differently."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    m = lambda x: cv2.boxFilter(x, -1, (k, k))
    ma, mb = m(a), m(b)
    va, vb = m(a * a) - ma * ma, m(b * b) - mb * mb
    return (m(a * b) - ma * mb) / np.sqrt((va + 6) * (vb + 6)), va, vb


def changes(img, before, after):
    """Masks: something lies there (not a mere shadow); anything changed at all. And the local correlation."""
    thing = np.full(img.shape[:2], 255, np.uint8)
    any_ = thing.copy()
    corr = np.full(img.shape[:2], -1, np.float32)
    f = cv2.GaussianBlur(img, (5, 5), 0).astype(np.float32)
    g = cv2.cvtColor(img, cv2.COLOR_BGR2GRAY)
    for o in (before, after):
        c, va, vb = same_texture(g, cv2.cvtColor(o, cv2.COLOR_BGR2GRAY), 15)
        corr = np.maximum(corr, c)
        o = cv2.GaussianBlur(o, (5, 5), 0).astype(np.float32)
        diff = np.abs(f - o).max(2)
        q = (f + 6) / (o + 6)
        shadow = (q.max(2) < 1.03) & (q.min(2) > 0.35) & (q.max(2) - q.min(2) < 0.10)
        shadow &= (c > .6) | ((va < 25) & (vb < 25))
        any_ &= np.where(diff > 14, 255, 0).astype(np.uint8)
        thing &= np.where((diff > 20) & ~shadow, 255, 0).astype(np.uint8)
    d = cv2.morphologyEx(thing, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    d = cv2.morphologyEx(d, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (13, 13)))
    keep = np.zeros_like(d)
    cs, _ = cv2.findContours(d, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for c in cs:
        if cv2.contourArea(c) > 400:
            cv2.drawContours(keep, [c], -1, 255, -1)
    return keep, any_, corr


def coverage(mask, pts, radius):
    """Share of the disc round each point that lies in the mask."""
    out = np.zeros(pts.shape[:2], np.float32)
    h, w = mask.shape
    for r in range(pts.shape[0]):
        for c in range(pts.shape[1]):
            x, y, k = pts[r, c, 0], pts[r, c, 1], max(2, int(radius[r, c]))
            part = mask[max(0, int(y) - k):min(h, int(y) + k + 1), max(0, int(x) - k):min(w, int(x) + k + 1)]
            out[r, c] = part.mean() / 255 if part.size else 0
    return out


def pitch_of(pts):
    dx = np.linalg.norm(np.diff(pts, axis=1), axis=-1)
    dy = np.linalg.norm(np.diff(pts, axis=0), axis=-1)
    dx = np.concatenate([dx, dx[:, -1:]], 1)
    dy = np.concatenate([dy, dy[-1:]], 0)
    return np.sqrt(dx * dy)


def load_clip(folder, name, every=45, seed=0):
    """Clear frames, frames with hands (labels under the hand's mask: hidden), and hands cut out (RGBA, pitch)."""
    t = json.load(open(os.path.join(folder, name, "truth.json")))
    n, rng = t["size"], random.Random(seed)
    at = lambda table, f: [x for x in table if x[0] <= f][-1] if [x for x in table if x[0] <= f] else None
    occ = t["occluded"]
    busy = np.zeros(t["frames"] + 1, bool)
    for a, b in occ:
        busy[max(0, a - 3):b + 3] = True
    clear = [f for f in range(0, t["frames"], every) if not busy[f]]
    hands = []
    for a, b in occ:
        lo, hi = a - 4, b + 4
        if lo < 0 or hi >= t["frames"] or busy[lo] or busy[hi]:
            continue
        cam = [x[2] for x in t["camera"] if x[0] <= lo][-1]
        if [x[2] for x in t["camera"] if x[0] <= hi][-1] != cam:
            continue
        for f in sorted(rng.sample(range(a, b + 1), min(4, b + 1 - a))):
            hands.append((f, lo, hi))
    want = set(clear) | {f for h in hands for f in h}
    frames, cap, i = {}, cv2.VideoCapture(os.path.join(folder, name, "clip.mp4")), 0
    while cap.grab():
        if i in want:
            frames[i] = cap.retrieve()[1]
        i += 1
    out, cut = [], []

    def rec(f):
        cam = [x[2] for x in t["camera"] if x[0] <= f][-1]
        board = at(t["positions"], f)[1]
        offs = []
        o = at(t["off_point_stones"], f)
        for s in (o[1] if o else []):
            r, c = int(round(s[1])), int(round(s[2]))
            offs.append([r, c, s[2] - c, s[1] - r])
        return record(frames[f], n, cam, board, "clips", offsets=offs, name=name + ":%d" % f)

    for f in clear:
        if f in frames:
            out.append(rec(f))
    for f, lo, hi in hands:
        if f not in frames or lo not in frames or hi not in frames:
            continue
        m, raw, corr = changes(frames[f], frames[lo], frames[hi])
        r = rec(f)
        p = pitch_of(r["pts"])
        cov, cr = coverage(m, r["pts"], p * .42), coverage(raw, r["pts"], p * .42)
        ix = np.clip(r["pts"].round().astype(int), 0, [frames[f].shape[1] - 1, frames[f].shape[0] - 1])
        co = corr[ix[..., 1], ix[..., 0]]
        hid = (cov > .6) & (co < .8)
        see = (cov < .2) & ((cr < .25) | (co > .85))
        r["lab"][~see] = -1
        r["lab"][hid] = 3
        # a point that changes about now and is not covered is left out: the truth may be a frame early or late
        ch = np.array([[a != b for a, b in zip(x, y)] for x, y in zip(at(t["positions"], lo)[1], at(t["positions"], hi)[1])])
        r["lab"][ch & ~hid] = -1
        r["mask"], r["source"] = m, "hands"
        out.append(r)
        if m.mean() > 3:
            cut.append(dict(rgba=np.dstack([r["img"], m]), pitch=float(np.median(p)), frame=(name, f)))
    return out, cut


# ---------------------------------------------------------------- augmentation

def rnd(a, b):
    return random.uniform(a, b)


_noise = None


def smooth_field(h, w, cells):
    f = np.random.rand(max(2, int(cells)), max(2, int(cells))).astype(np.float32)
    return cv2.resize(f, (w, h), interpolation=cv2.INTER_CUBIC)


def photometric(img):
    """uint8 RGB in and out. Every change is monotone in brightness, so black stays darker than white."""
    global _noise
    h, w = img.shape[:2]
    p = random.random()
    odd = p < .38       # the light is odd enough: the curves below are spared mostly
    if p < .26:
        img = augment.coloured_light(img)
    elif p < .31:
        img = augment.darkness(img)
    elif p < .38:
        img = augment.blown(img)
    if random.random() < .5:       # shadows: soft or hard-edged
        m = np.zeros((h // 4, w // 4), np.float32)
        for _ in range(random.randint(1, 3)):
            c = np.array([rnd(0, w / 4), rnd(0, h / 4)])
            if random.random() < .5:
                a = rnd(0, 6.3)
                d, e = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
                l, b = w / 2, rnd(4, w / 10)
                poly = [c - d * l - e * b, c + d * l - e * b, c + d * l + e * b, c - d * l + e * b]
            else:
                poly = [c + np.array([np.cos(x), np.sin(x)]) * rnd(5, w / 6) for x in np.sort(np.random.rand(6)) * 6.28]
            cv2.fillPoly(m, [np.int32(poly)], 1.0)
        s = random.choice([.6, 1.5, 4, 8])
        m = cv2.resize(cv2.GaussianBlur(m, (0, 0), s), (w, h))
        gain = 1 - m * rnd(.15, .75)
        if random.random() < .3:
            gain = 1 + m * rnd(.2, 1.6)      # a patch of sun
        img = np.clip(img * gain[..., None], 0, 255).astype(np.uint8)
    if random.random() < .35:       # light falling off over the picture, perhaps of two colours
        f = smooth_field(h // 4, w // 4, random.choice([2, 2, 3, 4]))
        f = cv2.resize(f, (w, h))
        a, b = np.random.uniform(.6, 1.3, 3), np.random.uniform(.6, 1.3, 3)
        if random.random() < .6:
            a, b = np.repeat(a[:1], 3), np.repeat(b[:1], 3)
        f = np.clip(f, 0, 1)[..., None]
        img = np.clip(img * (a * f + b * (1 - f)).astype(np.float32), 0, 255).astype(np.uint8)
    # one curve a channel: cast, exposure, gamma, contrast
    x = np.linspace(0, 1, 256)
    p = random.random()
    if odd and random.random() < .8:
        p = 1
    if p < .08:         # strong coloured light
        cast = np.array([rnd(.08, 1), rnd(.08, 1), rnd(.08, 1)])
        cast = cast / cast.max() * rnd(.8, 1.3)
    elif p < .7:
        cast = np.array([rnd(.75, 1.25), rnd(.85, 1.15), rnd(.7, 1.3)])
    else:
        cast = np.ones(3)
    e, g, k, lift = 2 ** rnd(-.9, .6), 2 ** rnd(-.5, .5), rnd(.7, 1.3), max(0, rnd(-.15, .12))
    if p == 1:
        e, g, k, lift = 1, 1, 1, max(0, rnd(-.3, .1))
    lut = np.empty((256, 1, 3), np.float32)
    for c in range(3):
        y = (x ** 2.2 * cast[c] * e) ** (g / 2.2)
        y = (y - .45) * k + .45
        lut[:, 0, c] = lift + (1 - lift) * y
    img = cv2.LUT(img, np.clip(lut * 255, 0, 255).astype(np.uint8))
    p = random.random() + .3 * odd
    if p < .05:
        img = np.repeat(cv2.cvtColor(img, cv2.COLOR_RGB2GRAY)[..., None], 3, 2)
    elif p < .25:
        a = rnd(.3, 1.6)        # saturation
        y = cv2.cvtColor(img, cv2.COLOR_RGB2GRAY)[..., None].astype(np.float32)
        img = np.clip(y + (img - y) * a, 0, 255).astype(np.uint8)
    for _ in range(random.choice([0, 0, 0, 1, 2])):       # glare
        m = np.zeros((h // 4, w // 4), np.float32)
        cv2.ellipse(m, (random.randint(0, w // 4), random.randint(0, h // 4)), (random.randint(2, w // 20), random.randint(2, w // 20)),
                    rnd(0, 180), 0, 360, 1.0, -1)
        m = cv2.resize(cv2.GaussianBlur(m, (0, 0), rnd(1, 6)), (w, h)) * rnd(.3, 1.2)
        img = np.clip(img + m[..., None] * (255 - img * .3), 0, 255).astype(np.uint8)
    p = random.random()
    if p < .15:
        s = rnd(.45, .85)           # low resolution
        img = cv2.resize(cv2.resize(img, None, fx=s, fy=s, interpolation=cv2.INTER_AREA), (w, h), interpolation=cv2.INTER_LINEAR)
    elif p < .40:
        img = cv2.GaussianBlur(img, (0, 0), rnd(.3, 1.2))
    elif p < .48:
        l = random.randint(3, 6)
        k = np.zeros((7, 7), np.float32)
        a = rnd(0, 3.14)
        for t in np.linspace(-l / 2, l / 2, 15):
            k[int(round(3 + np.sin(a) * t)), int(round(3 + np.cos(a) * t))] = 1
        img = cv2.filter2D(img, -1, k / k.sum())
    elif p < .6:
        img = np.clip(cv2.addWeighted(img, 1.6, cv2.GaussianBlur(img, (0, 0), 1.2), -.6, 0), 0, 255)     # sharpened
    if random.random() < .6:
        if _noise is None:
            _noise = np.random.randn(900, 900, 3).astype(np.float32)
        y, q = random.randint(0, 900 - h), random.randint(0, 900 - w)
        n = _noise[y:y + h, q:q + w]
        if random.random() < .4:
            n = n[..., :1]
        img = np.clip(img + n * rnd(1, 12), 0, 255).astype(np.uint8)
    if random.random() < .5:
        img = cv2.imdecode(cv2.imencode(".jpg", img, [cv2.IMWRITE_JPEG_QUALITY, random.randint(25, 92)])[1], cv2.IMREAD_COLOR)
    if random.random() < .1:
        img = augment.webcam(img)
    if random.random() < .05:       # a black and white camera, a grey scan
        img = np.repeat(cv2.cvtColor(img, cv2.COLOR_RGB2GRAY)[..., None], 3, 2)
    return img


def skin():
    t = rnd(0, 1)
    a = np.array([235, 195, 170.]) * (1 - t) + np.array([75, 48, 36.]) * t
    return np.clip(a * rnd(.7, 1.15) + np.random.uniform(-12, 12, 3), 0, 255)


def cloth():
    return np.random.uniform(10, 240, 3) if random.random() < .5 else np.repeat(rnd(8, 235), 3) + np.random.uniform(-10, 10, 3)


def paint(img, m, colour, mask):
    """Lays a shaded, slightly textured thing of that colour where m (0..1) is."""
    h, w = m.shape
    sh = 1 + (smooth_field(h, w, random.randint(2, 9)) - .5) * rnd(.1, .6)
    tex = np.random.randn(h, w).astype(np.float32) * rnd(0, 6)
    d = cv2.GaussianBlur(m, (0, 0), rnd(3, 9))
    col = colour[None, None] * (sh * (.65 + .4 * d))[..., None] + tex[..., None]
    img[:] = np.clip(img * (1 - m[..., None]) + col * m[..., None], 0, 255)
    np.maximum(mask, m, out=mask)


def cast_shadow(img, m, pitch):
    s = np.float32([[1, 0, rnd(-1, 1) * pitch], [0, 1, rnd(-1, 1) * pitch]])
    k = cv2.GaussianBlur(cv2.warpAffine(m, s, (m.shape[1], m.shape[0])), (0, 0), max(.8, rnd(.1, .7) * pitch)) * rnd(0, .6)
    img *= (1 - k * (1 - m))[..., None]


def occlude(img, pitch, hands):
    """Lays an arm, a hand cut from footage, or a thing over the picture. Returns picture, mask (0..1)."""
    h, w = img.shape[:2]
    mask = np.zeros((h, w), np.float32)
    f = img.astype(np.float32)
    p = random.random()
    if hands and p < .6:
        hd = random.choice(hands)
        s = pitch / hd["pitch"] * rnd(.7, 1.5)
        ys, xs = np.nonzero(hd["rgba"][::8, ::8, 3])
        c = np.array([xs.mean() * 8, ys.mean() * 8])
        a = rnd(0, 6.28)
        fl = random.choice([-1, 1])
        m = s * np.array([[np.cos(a) * fl, -np.sin(a)], [np.sin(a) * fl, np.cos(a)]])
        t = np.array([rnd(0, w), rnd(0, h)]) - m @ c
        o = cv2.warpAffine(hd["rgba"], np.float32(np.hstack([m, t[:, None]])), (w, h), flags=cv2.INTER_LINEAR)
        al = cv2.GaussianBlur(cv2.erode(o[..., 3], np.ones((3, 3), np.uint8)), (3, 3), 0).astype(np.float32) / 255
        cast_shadow(f, al, pitch)
        col = o[..., :3].astype(np.float32)
        if random.random() < .6:
            col = col * np.random.uniform(.55, 1.2, 3) * (rnd(.6, 1.1))
        f = f * (1 - al[..., None]) + np.clip(col, 0, 255) * al[..., None]
        mask = al
    elif p < .88:
        # an arm from outside: sleeve, hand, fingers
        a = rnd(0, 6.28)
        tip = np.array([rnd(0, w), rnd(0, h)])
        d = np.array([np.cos(a), np.sin(a)])
        e = np.array([-d[1], d[0]])
        wd = pitch * rnd(.9, 2.2)
        m = np.zeros((h, w), np.uint8)
        sk = skin()
        hand = tip + d * wd * 2.2
        P = lambda *q: np.int32(np.array(q) * 16)
        cv2.ellipse(m, (tuple(map(float, hand)), (wd * 2.6, wd * rnd(1.7, 2.3)), np.degrees(a)), 255, -1, cv2.LINE_AA)
        for i in range(random.randint(1, 4)):
            b = hand + e * wd * rnd(-.8, .8)
            q = tip + e * wd * rnd(-1, 1) + d * wd * rnd(-.3, .8)
            cv2.line(m, tuple(int(v) for v in b), tuple(int(v) for v in q), 255, max(2, int(pitch * rnd(.35, .8))), cv2.LINE_AA)
        end = hand + d * 3 * max(w, h)
        cv2.fillPoly(m, [P(hand - e * wd * .75, hand + e * wd * .75, end + e * wd * 1.4, end - e * wd * 1.4)], 255, cv2.LINE_AA, 4)
        m = cv2.GaussianBlur(m, (3, 3), 0).astype(np.float32) / 255
        sl = np.zeros((h, w), np.uint8)
        if random.random() < .75:
            st = hand + d * wd * rnd(.8, 5)
            cv2.fillPoly(sl, [P(st - e * wd * rnd(.85, 1.5), st + e * wd * rnd(.85, 1.5), end + e * wd * 2, end - e * wd * 2)], 255, cv2.LINE_AA, 4)
        sl = sl.astype(np.float32) / 255
        cast_shadow(f, np.maximum(m, sl), pitch)
        paint(f, m, sk, mask)
        if sl.any():
            paint(f, sl, cloth(), mask)
    else:
        m = np.zeros((h, w), np.uint8)
        c = (rnd(0, w), rnd(0, h))
        if random.random() < .4:
            cv2.ellipse(m, (c, (pitch * rnd(2.2, 6), pitch * rnd(2.2, 6)), rnd(0, 180)), 255, -1, cv2.LINE_AA)
        else:
            q = cv2.boxPoints((c, (pitch * rnd(.5, 6), pitch * rnd(2, 8)), rnd(0, 180)))
            cv2.fillPoly(m, [np.int32(q)], 255, cv2.LINE_AA)
        m = m.astype(np.float32) / 255
        cast_shadow(f, m, pitch)
        paper = random.random() < .4
        paint(f, m, np.repeat(rnd(190, 250), 3) if paper else cloth(), mask)
        if paper or random.random() < .3:       # print on it
            t = np.zeros((h, w), np.uint8)
            a = rnd(0, 3.14)
            d, e = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
            st = pitch * rnd(.25, .9)
            for i in range(-14, 15):
                b = np.array(c) + e * st * i
                for j in range(random.randint(1, 5)):
                    u, v = sorted(np.random.uniform(-5, 5, 2) * pitch)
                    p1, p2 = b + d * u, b + d * v
                    cv2.line(t, (int(p1[0]), int(p1[1])), (int(p2[0]), int(p2[1])), 255, max(1, int(st * rnd(.1, .6))))
            t = t.astype(np.float32)[..., None] / 255 * m[..., None] * rnd(.3, .95)
            f = f * (1 - t) + (cloth() * .5) * t
    return np.clip(f, 0, 255).astype(np.uint8), mask


def stone_shadows(img, xy, rad, unit_px):
    """Each stone throws a shadow the same way, as in hard light: over the points beside it, not over the stones."""
    if not len(xy):
        return img
    h, w = img.shape[:2]
    a, l = rnd(0, 6.28), rnd(.25, .95)
    d = np.array([np.cos(a), np.sin(a)]) * l
    sh, st = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)
    for (x, y), r, u in zip(xy, rad, unit_px):
        if not (-60 < x < w + 60 and -60 < y < h + 60):
            continue
        q = (int((x + d[0] * u) * 8), int((y + d[1] * u) * 8))
        cv2.circle(sh, q, int(r * 8 * .95), 255, -1, cv2.LINE_AA, 3)
        cv2.line(sh, (int(x), int(y)), (int(x + d[0] * u), int(y + d[1] * u)), 255, max(1, int(r * 1.7)))
        cv2.circle(st, (int(x * 8), int(y * 8)), int(r * 8), 255, -1, cv2.LINE_AA, 3)
    b = rnd(.3, .22 * float(np.median(unit_px)) + .4)
    k = cv2.GaussianBlur(sh, (0, 0), b).astype(np.float32) / 255 * (1 - cv2.GaussianBlur(st, (0, 0), .7).astype(np.float32) / 255)
    return np.clip(img * (1 - k * rnd(.3, .85))[..., None], 0, 255).astype(np.uint8)


# ---------------------------------------------------------------- locate: samples

def heat(maps, pts, sig, size):
    """Writes Gaussians (max) into a flat map."""
    import torch
    if not len(pts):
        return
    h, w = size
    k = 5
    ix, iy = np.round(pts[:, 0]).astype(int), np.round(pts[:, 1]).astype(int)
    o = np.arange(-k, k + 1)
    gx, gy = (ix[:, None] + o), (iy[:, None] + o)
    ex = np.exp(-.5 * ((gx - pts[:, :1]) / sig[:, None]) ** 2)
    ey = np.exp(-.5 * ((gy - pts[:, 1:]) / sig[:, None]) ** 2)
    v = ey[:, :, None] * ex[:, None, :]
    ok = ((gy >= 0) & (gy < h))[:, :, None] & ((gx >= 0) & (gx < w))[:, None, :]
    idx = (gy[:, :, None] * w + gx[:, None, :])[ok]
    torch.from_numpy(maps.reshape(-1)).scatter_reduce_(0, torch.from_numpy(idx), torch.from_numpy(v[ok].astype(np.float32)), "amax")


def random_fill():
    return tuple(int(v) for v in (np.random.uniform(0, 255, 3) if random.random() < .5 else np.repeat(rnd(0, 255), 3)))


def warp(rec, m, size, k=0.0):
    """Warps by homography m, then radial bend k about the middle. Takes the half-size picture when shrinking. Returns picture, point mapper."""
    w, h = size
    n = rec["n"]
    a, b = rec["pts"].reshape(-1, 2), persp(m, rec["pts"].reshape(-1, 2))
    s = np.sqrt(cv2.contourArea(cv2.convexHull(np.float32(b))) / max(1, cv2.contourArea(cv2.convexHull(np.float32(a)))))
    img, mm = rec["img"], m
    if s < .62:
        img = rec["half"]
        mm = m @ np.array([[2, 0, .5], [0, 2, .5], [0, 0, 1.]])
    mode = random.choice([cv2.BORDER_CONSTANT, cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE])
    fill = random_fill()
    if not k:
        out = cv2.warpPerspective(img, mm, (w, h), flags=cv2.INTER_LINEAR, borderMode=mode, borderValue=fill)
        return out, lambda p: persp(m, p)
    c, f = np.array([(w - 1) / 2, (h - 1) / 2]), .5 * max(w, h)
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    ux, uy = (x - c[0]) / f, (y - c[1]) / f
    g = 1 + k * (ux * ux + uy * uy)
    q = np.stack([c[0] + f * ux * g, c[1] + f * uy * g], -1)
    i = np.linalg.inv(mm)
    d = q @ i[:, :2].T + i[:, 2]
    d = (d[..., :2] / d[..., 2:]).astype(np.float32)
    out = cv2.remap(img, d[..., 0], d[..., 1], cv2.INTER_LINEAR, borderMode=mode, borderValue=fill)

    def fwd(p):
        v = (persp(m, p) - c) / f
        u = v.copy()
        for _ in range(8):
            u = v / (1 + k * (u * u).sum(-1, keepdims=True))
        return c + f * u
    return out, fwd


def view_photo(rec, size):
    """A random look at the whole picture: any turn, some perspective, pitch 6..24 px."""
    w, h = size
    n, pts = rec["n"], rec["pts"]
    for _ in range(20):
        ih, iw = rec["img"].shape[:2]
        s = 512 / max(ih, iw) * 2 ** rnd(-.5, .6)
        med = float(np.median(pitch_of(pts)))
        s = np.clip(s, 6.5 / med, 26 / med)
        a = rnd(0, 6.28) if random.random() < .4 else rnd(-.2, .2)
        fl = random.choice([-1, 1])
        st = 2 ** rnd(-.15, .15)
        aff = np.array([[np.cos(a) * fl * s * st, -np.sin(a) * s / st, 0], [np.sin(a) * fl * s * st, np.cos(a) * s / st, 0], [0, 0, 1.]])
        # about a point near the board
        r, c = rnd(-.1, 1.1) * (n - 1), rnd(-.1, 1.1) * (n - 1)
        hm = cv2.getPerspectiveTransform(unit(n), np.float32(pts[[0, 0, -1, -1], [0, -1, -1, 0]])).astype(np.float64)
        focus = persp(hm, np.array([c, r]))
        if random.random() < .5:
            focus = .5 * focus + .5 * pts.reshape(-1, 2).mean(0)
        per = np.eye(3)
        per[2, :2] = np.random.uniform(-1, 1, 2) * random.choice([0, .0004, .0012])
        t1 = np.array([[1, 0, -focus[0]], [0, 1, -focus[1]], [0, 0, 1.]])
        t2 = np.array([[1, 0, w / 2], [0, 1, h / 2], [0, 0, 1.]])
        m = t2 @ per @ aff @ t1
        cor = np.array([[0, 0], [iw, 0], [iw, ih], [0, ih]], float)
        if (np.c_[cor, np.ones(4)] @ m[2] < .2).any() or (np.c_[pts.reshape(-1, 2), np.ones(n * n)] @ m[2] < .3).any():
            continue
        p = persp(m, pts)
        ins = (p[..., 0] > 0) & (p[..., 0] < w) & (p[..., 1] > 0) & (p[..., 1] < h)
        pt = pitch_of(p)
        if ins.sum() > .2 * n * n and 5.5 < np.percentile(pt[ins], 5) and pt[ins].max() < 34:
            return m
    return None


def view_rect(rec, size):
    """A nearly rectified look: pitch 15..27 px, corners off by up to a pitch or more, a window of the board."""
    w, h = size
    n, pts = rec["n"], rec["pts"]
    p = rnd(17, 26)
    src = pts[[0, 0, -1, -1], [0, -1, -1, 0]]
    k = random.randint(0, 3)
    dst = unit(n).astype(np.float64)
    dst += np.random.randn(4, 2) * random.choice([.05, .15, .4]) + np.random.uniform(-1, 1, 2) * random.choice([.1, .5, 1.2])
    dst[:, 0] *= 2 ** rnd(-.12, .12)
    dst = np.roll(dst * p, k, 0)
    if random.random() < .5:
        dst[:, 0] = (n - 1) * p - dst[:, 0]
    full = (n + 3) * p
    lo = -2 * p
    ox = rnd(lo - 5, max(lo, lo + full - w) + 5) if random.random() < .5 else random.choice([lo, max(lo, lo + full - w)]) + rnd(-10, 10)
    oy = rnd(lo - 5, max(lo, lo + full - h) + 5) if random.random() < .5 else random.choice([lo, max(lo, lo + full - h)]) + rnd(-10, 10)
    dst -= [ox, oy]
    m = cv2.getPerspectiveTransform(np.float32(src), np.float32(dst)).astype(np.float64)
    return m


def sample_locate(rec, size, hands, aug=True):
    """uint8 RGB picture, targets 5 x h/2 x w/2, weights 5 x h/2 x w/2."""
    w, h = size
    m = view_photo(rec, size) if random.random() < .55 else None
    if m is None:
        m = view_rect(rec, size)
    k = rnd(-.08, .12) if random.random() < .25 else 0.0
    img, fwd = warp(rec, m, size, k)
    n = rec["n"]
    p = fwd(rec["pts"])
    pt = np.clip(pitch_of(p), 3, 60)
    med = float(np.median(pt))
    mask = None
    if random.random() < .08:
        st = (rec["lab"] == 1) | (rec["lab"] == 2)
        img = augment.dye(img, fwd(rec["base"])[st], pt[st] * .47, rec["lab"][st])
    if random.random() < .2:
        st = (rec["lab"] == 1) | (rec["lab"] == 2)
        img = stone_shadows(img, fwd(rec["base"])[st], pt[st] * .47, pt[st])
    if random.random() < .22:
        img, mask = occlude(img, med, hands)
    ow, oh = w // 2, h // 2
    t, wt = np.zeros((5, oh, ow), np.float32), np.ones((5, oh, ow), np.float32)
    q = (p - .5) / 2
    sig = np.clip(.17 * pt / 2, .7, 2.0)
    ins = (q[..., 0] > -6) & (q[..., 0] < ow + 6) & (q[..., 1] > -6) & (q[..., 1] < oh + 6)
    lab, col = rec["lab"], rec["col"]
    bad = (lab == 3) | (lab == -1)
    if mask is not None:
        sm = cv2.boxFilter(mask, -1, (max(3, int(med * .8)),) * 2)
        ix, iy = np.clip(p[..., 0].round().astype(int), 0, w - 1), np.clip(p[..., 1].round().astype(int), 0, h - 1)
        bad = bad | (sm[iy, ix] > .3)
    for c in range(3):
        s = ins & (lab == c) & ~bad
        heat(t[c], q[s], sig[s], (oh, ow))
    known = rec.get("inside")       # pictures whose lattice is only known inside some hull
    hull = q[[0, 0, -1, -1], [0, -1, -1, 0]] if known is None else None
    z = np.zeros((oh, ow), np.uint8)
    for r, c in zip(*np.nonzero(bad & ins)):
        cv2.circle(z, (int(q[r, c, 0]), int(q[r, c, 1])), int(max(2, .4 * pt[r, c])), 1, -1)
    wt[:3][:, z > 0] = 0
    if hull is not None:
        edge = np.concatenate([q[0], q[1:, -1], q[-1, -2::-1], q[-2:0:-1, 0]])
        mm = np.zeros((oh, ow), np.uint8)
        cv2.fillPoly(mm, [np.int32(np.round(edge * 16))], 255, cv2.LINE_AA, 4)
        t[3] = mm.astype(np.float32) / 255
        sc = np.clip(.3 * pt / 2, 1.2, 3.6)
        heat(t[4], hull, sc[[0, 0, -1, -1], [0, -1, -1, 0]], (oh, ow))
    else:
        a = np.zeros((oh, ow), np.uint8)
        cv2.fillConvexPoly(a, np.int32(np.round(fwd(known) / 2)), 1)
        wt[:3][:, a == 0] = 0
        t[3] = a
        wt[3] = a
        wt[4] = a * .3
    wt[:3] *= 1 + POSITIVE * t[:3]
    wt[4] *= 1 + POSITIVE * t[4]
    wt[3] *= .3
    return photometric(img) if aug else img, t, wt


def surroundings(recs, size):
    """A part of a picture beside its board."""
    for _ in range(30):
        rec = random.choice(recs)
        img = rec["img"]
        if min(img.shape[:2]) < 340:
            continue
        s = random.randint(96, 320)
        y, x = random.randint(0, img.shape[0] - s), random.randint(0, img.shape[1] - s)
        c = np.float32(rec["pts"][[0, 0, -1, -1], [0, -1, -1, 0]])
        c = (c - c.mean(0)) * 1.1 + c.mean(0)
        box = np.float32([[x, y], [x + s, y], [x + s, y + s], [x, y + s]])
        if cv2.intersectConvexConvex(cv2.convexHull(c), box)[0] < 1:
            return cv2.resize(img[y:y + s, x:x + s], size)
    return None


def plain(pictures, size):
    """A part of a picture without any board."""
    img = random.choice(pictures)["img"]
    h, w = img.shape[:2]
    s = random.randint(min(120, h, w), min(h, w))
    y, x = random.randint(0, h - s), random.randint(0, w - s)
    img = np.rot90(img[y:y + s, x:x + s], random.choice([0, 0, 0, 1, 2, 3]))
    return cv2.resize(img[:, ::-1] if random.random() < .5 else img, size, interpolation=cv2.INTER_AREA)


def negative(recs, pictures, size):
    """A picture without a board: photos, the surroundings of a board, other boards, nets and checks."""
    w, h = size
    p = random.random()
    if p < .2:
        img = surroundings(recs, size)
        if img is not None:
            return photometric(img)
    if p < .35 and pictures:
        return photometric(plain(pictures, size))
    if p < .88:
        b = random.random()
        ground = plain(pictures, size) if pictures and b < .4 else surroundings(recs, size) if b < .8 else None
        if ground is None:
            ground = negatives.canvas(w, h, negatives.any_colour())
        return photometric(negatives.scene(ground, size, many=random.choice([1, 1, 1, 1, 2])))
    img = np.empty((h, w, 3), np.float32)
    img[:] = cloth()
    img *= (1 + (smooth_field(h, w, random.randint(2, 40)) - .5) * rnd(0, .5))[..., None]
    a, sp, kind = rnd(0, 3.14), rnd(8, 40), random.randint(0, 4)
    big = np.zeros((700, 700, 3), np.uint8)
    al = np.zeros((700, 700), np.uint8)
    c1, c2 = cloth(), cloth()
    g = np.arange(0, 700, sp)
    if kind == 0:           # checks
        for i, y in enumerate(g):
            for j, x in enumerate(g):
                if (i + j) % 2:
                    cv2.rectangle(al, (int(x), int(y)), (int(x + sp), int(y + sp)), 255, -1)
    elif kind == 1:         # keys / tiles
        for y in g:
            for x in g:
                cv2.rectangle(al, (int(x + sp * .1), int(y + sp * .1)), (int(x + sp * .88), int(y + sp * .88)), 255, -1)
    elif kind == 2:         # lines one way only
        for y in g:
            cv2.line(al, (0, int(y)), (700, int(y)), 255, random.randint(1, 3))
    elif kind == 3:         # dots, round things in a heap
        for _ in range(random.randint(10, 250)):
            cv2.circle(al, (random.randint(0, 700), random.randint(0, 700)), int(rnd(3, sp)), 255, -1, cv2.LINE_AA)
    else:                   # text-like
        for _ in range(120):
            cv2.putText(al, random.choice("ABCDEFGHJKabcdefg0123456789+#"), (random.randint(0, 700), random.randint(0, 700)), 0, rnd(.3, 2), 255, random.randint(1, 3), cv2.LINE_AA)
    big[:] = c1
    m = cv2.getRotationMatrix2D((350, 350), np.degrees(a), rnd(.8, 1.3))
    m[:, 2] -= [350 - w / 2, 350 - h / 2]
    al = cv2.warpAffine(al, m, (w, h)).astype(np.float32)[..., None] / 255 * rnd(.2, 1)
    img = img * (1 - al) + c1 * al
    return photometric(np.clip(img, 0, 255).astype(np.uint8))


# ---------------------------------------------------------------- read: samples

def nominal(n):
    g = np.stack(np.meshgrid(np.arange(n), np.arange(n)), -1).astype(np.float64)
    return 16 * (g + 1.5) - .5


def turn(a, k, f):
    a = np.rot90(a, k, (0, 1))
    return a[:, ::-1] if f else a


def near_turn(pts):
    """Quarter turns (of np.rot90) after which the side of the board that is nearest to the camera is the last row, as the program turns a
    board before it reads it: stones stand up, and so all lean the same way. 0 where no side is clearly nearer."""
    n = len(pts)
    m = n // 2
    step = lambda r, c: np.linalg.norm(pts[r, c] - pts[r - 1, c]) * np.linalg.norm(pts[r, c] - pts[r, c - 1])
    top, bottom, left, right = step(1, m), step(n - 1, m), step(m, 1), step(m, n - 1)
    down, across = np.log(bottom / top), np.log(right / left)
    if max(abs(down), abs(across)) < NEARER:
        return 0
    if abs(down) >= abs(across):
        return 0 if down > 0 else 2
    return 3 if across > 0 else 1


FOCAL = np.exp(np.linspace(np.log(.7), np.log(4), 36))     # in halves of the picture's diagonal


def camera(pts, w, h):
    """Where the camera is, [row, column, height] in pitches: of all focal lengths the one that makes the board's axes most nearly square
    and equally long, and is most like a common camera's."""
    n = len(pts)
    q = (pts[[0, 0, -1, -1], [0, -1, -1, 0]] - [(w - 1) / 2, (h - 1) / 2]) / (np.hypot(w, h) / 2)
    m = cv2.getPerspectiveTransform(unit(n), np.float32(q)).astype(np.float64)
    best = None
    for f in FOCAL:
        a, b, c = (m / [[f], [f], [1]]).T
        la, lb = np.linalg.norm(a), np.linalg.norm(b)
        r1, r2, t = a / la, b / lb, c / np.sqrt(la * lb)
        miss = (np.log(la / lb) / .06) ** 2 + (r1 @ r2 / .04) ** 2 + (np.log(f / 1.25) / .35) ** 2
        if best is None or miss < best[0]:
            best = miss, np.array([-r2 @ t, -r1 @ t, max(1, abs(np.cross(r1, r2) @ t))])
    return best[1]


def raise_stones(rec):
    """Where the points of the plane RAISED above the board lie in the picture, over the crossings and over the stones' true places."""
    if "up" not in rec:
        n, (h, w) = rec["n"], rec["img"].shape[:2]
        row, col, height = camera(rec["pts"], w, h)
        s = height / max(1, height - RAISED)
        g = np.stack(np.meshgrid(np.arange(n), np.arange(n)), -1).astype(np.float64)
        m = cv2.findHomography(g.reshape(-1, 2), rec["pts"].reshape(-1, 2), 0)[0]
        up = lambda p: p + persp(m, (b := persp(np.linalg.inv(m), p)) + (s - 1) * (b - [col, row])) - persp(m, b)
        rec["up"] = up(rec["pts"]), up(rec["base"])
    return rec["up"]


def move_stone(img, r, c, dx, dy, src):
    """Shifts a lone stone in a rectified picture: an empty neighbour cell's picture is laid over it, the stone pasted beside."""
    x, y = 16 * (c + 1.5), 16 * (r + 1.5)
    k = 12
    x0, y0 = int(x) - k, int(y) - k
    sx, sy = int(16 * (src[1] + 1.5)) - k, int(16 * (src[0] + 1.5)) - k
    h, w = img.shape[:2]
    if min(x0, y0, sx, sy) < 0 or max(x0, sx) + 2 * k > w or max(y0, sy) + 2 * k > h:
        return False
    old = img[y0:y0 + 2 * k, x0:x0 + 2 * k].copy()
    bg = img[sy:sy + 2 * k, sx:sx + 2 * k].copy()
    m = np.zeros((2 * k, 2 * k), np.float32)
    cv2.circle(m, (k, k), 9, 1, -1)
    m = cv2.GaussianBlur(m, (5, 5), 0)[..., None]
    f = old * (1 - m) + bg * m
    t = np.float32([[1, 0, dx * 16], [0, 1, dy * 16]])
    mv = cv2.warpAffine(m, t, (2 * k, 2 * k))[..., None]
    st = cv2.warpAffine(old, t, (2 * k, 2 * k), borderMode=cv2.BORDER_REPLICATE)
    img[y0:y0 + 2 * k, x0:x0 + 2 * k] = np.clip(f * (1 - mv) + st * mv, 0, 255).astype(np.uint8)
    return True


def star_points(img, xy, lab):
    """Large star points, dots, stickers and stains on empty crossings (16 px a pitch): they are no stones."""
    n = lab.shape[0]
    k = {19: (3, 9, 15), 13: (3, 6, 9), 9: (2, 4, 6)}[n]
    p = random.random()
    at = [(r, c) for r in k for c in k] if p < .6 else [(random.randint(0, n - 1), random.randint(0, n - 1)) for _ in range(random.randint(1, 14))]
    m = np.zeros(img.shape[:2], np.uint8)
    rad = rnd(1.2, 3.9)
    for r, c in at:
        if lab[r, c] == 0:
            x, y = xy[r, c] + np.random.uniform(-.6, .6, 2)
            q = rad * rnd(.85, 1.15)
            cv2.ellipse(m, ((float(x), float(y)), (2 * q, 2 * q * rnd(.75, 1)), rnd(0, 180)), 255, -1, cv2.LINE_AA)
    if random.random() < .8:
        col = np.percentile(img[::3, ::3].reshape(-1, 3), random.choice([2, 5, 15]), axis=0) * rnd(.5, 1.1)
    else:
        col = np.random.uniform(0, 255, 3)
    a = cv2.GaussianBlur(m, (0, 0), rnd(.4, .8)).astype(np.float32)[..., None] / 255 * rnd(.6, 1)
    return np.clip(img * (1 - a) + col * a, 0, 255).astype(np.uint8)


def sheen(img, xy, lab):
    """Varnish that mirrors a lamp or a window: in a soft patch the lines fade or turn bright, scratches show, the stones stay as they
    are (16 px a pitch). Nothing is covered."""
    h, w = img.shape[:2]
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    g = np.zeros((h, w), np.float32)
    for _ in range(random.choice([1, 1, 2, 3])):
        a, (u, v) = rnd(0, 3.14), np.random.uniform(14, 75, 2)
        cx, cy = rnd(0, w), rnd(0, h)
        p, q = (x - cx) * np.cos(a) + (y - cy) * np.sin(a), (y - cy) * np.cos(a) - (x - cx) * np.sin(a)
        g = np.maximum(g, np.exp(-.5 * ((p / u) ** 2 + (q / v) ** 2) ** rnd(.7, 1.8)) * rnd(.6, 1))
    g *= .75 + .5 * smooth_field(h, w, random.choice([8, 20, 50]))      # the varnish is uneven
    g = np.clip(g, 0, 1)
    st = np.zeros((h, w), np.uint8)
    for r, c in zip(*np.nonzero((lab == 1) | (lab == 2))):
        cv2.circle(st, (int(xy[r, c, 0] * 8), int(xy[r, c, 1] * 8)), 64, 255, -1, cv2.LINE_AA, 3)
    wood = 1 - cv2.GaussianBlur(st, (0, 0), .8).astype(np.float32) / 255
    f = img.astype(np.float32)
    bare = cv2.morphologyEx(img, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    bare = cv2.GaussianBlur(bare, (0, 0), 1.2).astype(np.float32)
    k = (g * wood * random.choice([rnd(.6, 1), 1, rnd(1, 1.7)]))[..., None]
    f = f + (bare - f) * k
    t = np.zeros((h, w), np.float32)
    for _ in range(random.choice([0, 0, random.randint(3, 40)])):
        a, l, b = rnd(0, 6.28), rnd(3, 40), (rnd(0, w), rnd(0, h))
        cv2.line(t, (int(b[0]), int(b[1])), (int(b[0] + np.cos(a) * l), int(b[1] + np.sin(a) * l)), rnd(.2, 1), 1, cv2.LINE_AA)
    lamp, on_stones = np.random.uniform(.75, 1, 3) * rnd(10, 110), .25
    if random.random() < .4:        # the lamp itself is seen in the varnish: wood turns white, and white stones look darker than it
        lamp, on_stones = np.random.uniform(.88, 1, 3) * rnd(110, 290), rnd(0, .4)
    f += (g * (on_stones + (1 - on_stones) * wood))[..., None] * lamp + (t * g * wood)[..., None] * rnd(10, 60)
    return np.clip(f, 0, 255).astype(np.uint8)


def sample_read(rec, hands, aug=True, jitter=True, corners=False):
    """uint8 RGB rectified board, labels N x N (-1: unknown), offsets N x N x 2 (nan: unknown)."""
    n = rec["n"]
    k, f = near_turn(rec["pts"]), False
    if aug:
        k, f = k if random.random() < .9 else random.randint(0, 3), random.random() < .5
    ground, lab, pts, base = (np.ascontiguousarray(turn(x, k, f)) for x in (rec["pts"], rec["lab"], *raise_stones(rec)))
    lab = lab.copy()
    nom = nominal(n)
    dst = nom.copy()
    if jitter:
        lim = .12 if random.random() < .8 else .22
        cj = np.clip(np.random.randn(4, 2) * lim * .5, -lim, lim) + np.random.uniform(-lim, lim, 2) * random.choice([0, .5])
        m = cv2.getPerspectiveTransform(np.float32(nom[[0, 0, -1, -1], [0, -1, -1, 0]]), np.float32(nom[[0, 0, -1, -1], [0, -1, -1, 0]] + cj * 16))
        dst = persp(m.astype(np.float64), nom)
    if corners or random.random() < .5:
        ix = ([0, 0, -1, -1], [0, -1, -1, 0])
        hm = cv2.getPerspectiveTransform(np.float32(pts[ix]), np.float32(dst[ix])).astype(np.float64)
    else:
        hm = cv2.findHomography(pts.reshape(-1, 2), dst.reshape(-1, 2), 0)[0]
    s = (n + 2) * 16
    img, mm = rec["img"], hm
    if np.median(pitch_of(pts)) > 27:
        img, mm = rec["half"], hm @ np.array([[2, 0, .5], [0, 2, .5], [0, 0, 1.]])
    img = cv2.warpPerspective(img, mm, (s, s), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=random_fill() if aug else 0)
    off = (persp(hm, base) - nom) / 16
    off[(lab != 1) & (lab != 2)] = np.nan
    if rec["source"] != "stills":       # only listed offsets are known
        off[np.abs(base - pts).sum(-1) < 1e-6] = np.nan
    if aug:
        if random.random() < .45:       # push a few lone stones off their points
            e = np.pad(lab, 1, constant_values=-1)
            todo = []
            for r in range(n):
                for c in range(n):
                    if lab[r, c] in (1, 2) and (e[r:r + 3, c:c + 3].ravel()[[0, 1, 2, 3, 5, 6, 7, 8]] == 0).all():
                        todo.append((r, c))
            random.shuffle(todo)
            for r, c in todo[:5]:
                q = [(a, b) for a in (r - 1, r, r + 1) for b in (c - 1, c, c + 1) if (a, b) != (r, c)]
                d = np.random.uniform(-.46, .46, 2)
                if move_stone(img, r, c, d[0], d[1], random.choice(q)):
                    off[r, c] += d
        if random.random() < .25:
            img = star_points(img, persp(hm, ground), lab)
        if random.random() < .09:
            st = (lab == 1) | (lab == 2)
            b = persp(hm, base)[st]
            img = augment.dye(img, b, np.full(len(b), 7.7), lab[st])
        if random.random() < .25:
            st = (lab == 1) | (lab == 2)
            b = persp(hm, base)[st]
            img = stone_shadows(img, b, np.full(len(b), 7.6), np.full(len(b), 16.0))
        if random.random() < .3:
            img = sheen(img, persp(hm, base), lab)
        if random.random() < .3:
            img, mask = occlude(img, 16.0, hands)
            cov = cv2.boxFilter(mask, -1, (13, 13))[8 + 16::16, 8 + 16::16][:n, :n]
            lab[cov > .62] = 3
            lab[(cov > .3) & (cov <= .62)] = -1
        img = photometric(img)
    return img, lab.astype(np.int64), off.astype(np.float32)
