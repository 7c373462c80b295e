"""Harder light and fuller boards: coloured light, darkness, webcams, dyed stones, stones pasted onto empty points of photos."""
import random

import cv2
import numpy as np


def rnd(a, b):
    return random.uniform(a, b)


# linear RGB of common coloured lamps
LEDS = [(.02, .10, 1), (.0, .02, 1), (.02, .75, .9), (.02, 1, .15), (.0, 1, .02), (1, .35, .02), (1, .12, .01), (1, .02, .02),
        (1, .12, .45), (1, .05, .8), (.4, .05, 1), (.2, .02, 1), (1, .75, .05), (1, .9, .02)]


def led():
    if random.random() < .6:
        c = np.array(random.choice(LEDS)) * np.exp(np.random.randn(3) * .35)
    else:
        c = np.random.rand(3) ** rnd(1, 4)
    c = np.clip(c, 0, None)
    return c / c.max()


def smooth(h, w, cells):
    f = np.random.rand(cells, cells).astype(np.float32)
    return np.clip(cv2.resize(cv2.resize(f, (max(2, w // 4), max(2, h // 4)), interpolation=cv2.INTER_CUBIC), (w, h)), 0, 1)[..., None]


def coloured_light(img):
    """The scene under a coloured lamp, as a camera would show it: gains in linear light, colour filters that overlap, exposure that
    may clip the strong channel, white balance that undoes part, vignetting, the camera's tone curve and saturation. RGB uint8."""
    h, w = img.shape[:2]
    lin = cv2.LUT(img, (np.linspace(0, 1, 256) ** 2.2).astype(np.float32))
    c = led()
    floor = random.choice([0, 0, 0, rnd(0, .05), rnd(.05, .3)])       # other light in the room
    c = c * (1 - floor) + floor
    q = random.choice([0, .02, rnd(0, .1)])
    m = np.diag(c) * (1 - 3 * q) + q * c[None, :] * np.ones((3, 1))      # overlapping filters
    if random.random() < .35:       # a second lamp, or white light from one side
        d = led() if random.random() < .5 else np.random.uniform(.6, 1, 3)
        f = smooth(h, w, random.choice([2, 2, 3]))
        f = np.clip((f - .5) * rnd(1, 3) + rnd(.2, .8), 0, 1)
        lin = (lin @ np.float32(m.T)) * f + (lin * np.float32(d * rnd(.1, .8))) * (1 - f)
    else:
        lin = lin @ np.float32(m.T)
    if random.random() < .4:
        y, x = np.mgrid[-1:1:h * 1j, -1:1:w * 1j].astype(np.float32)
        lin *= (1 - rnd(.2, .7) * np.clip((x - rnd(-.6, .6)) ** 2 + (y - rnd(-.6, .6)) ** 2, 0, 1.4) / 1.4)[..., None]
    bright = np.percentile(lin[::4, ::4].max(2), 95) + 1e-4
    lin *= random.choice([rnd(.5, 1), rnd(.8, 1.7), rnd(.12, .5)]) / bright       # metering; the strong channel may clip
    if random.random() < .5:        # white balance undoes part of it
        mean = lin[::4, ::4].reshape(-1, 3).mean(0) + 1e-3
        g = (mean.mean() / mean) ** rnd(0, .6)
        lin *= np.float32(np.clip(g, .3, 4))
    lin += np.random.randn(h, w, 1).astype(np.float32) * rnd(0, .006)
    if random.random() < .3:
        lin += np.random.randn(h, w, 3).astype(np.float32) * np.sqrt(np.clip(lin, 0, 1)) * rnd(0, .02)
    out = np.clip(lin, 0, 1) ** (1 / rnd(1.8, 2.6))
    if random.random() < .4:        # the camera's colour matrix: what lies outside its colours is clipped
        out = np.clip(out, 0, 1) ** 2.2
        k = rnd(.1, .5)
        o = np.float32([[1 + k, -k * rnd(.3, .9), 0], [-k * rnd(.2, .6), 1 + k, 0], [-k * rnd(0, .2), -k * rnd(.6, 1), 1 + k]])
        o[0, 2], o[1, 2] = 1 - o[0, 0] - o[0, 1], 1 - o[1, 0] - o[1, 1]
        out = np.clip(out @ o.T, 0, 1) ** (1 / 2.2)
    if random.random() < .6:        # the camera's saturation
        y = out @ np.float32([.3, .59, .11])
        out = y[..., None] + (out - y[..., None]) * rnd(1, 1.7)
    if random.random() < .4:
        out = np.clip(out, 0, 1)
        out = out + rnd(-.3, .6) * out * (1 - out) * (2 * out - 1)
    return np.clip(out * 255, 0, 255).astype(np.uint8)


def darkness(img):
    """Far too little light: few steps of grey left, noise, perhaps brightened afterwards."""
    h, w = img.shape[:2]
    lin = cv2.LUT(img, (np.linspace(0, 1, 256) ** 2.2).astype(np.float32)) * 2 ** rnd(-6, -2.5)
    lin *= np.float32(np.random.uniform(.6, 1.3, 3))
    n = np.random.randn(h, w, 3).astype(np.float32)
    lin += n * np.sqrt(np.clip(lin, 0, 1)) * rnd(0, .02) + n[..., ::-1] * rnd(0, .004)
    lin *= random.choice([1, 1, 2, 4, 8])
    return np.clip(np.clip(lin, 0, 1) ** (1 / 2.2) * 255, 0, 255).astype(np.uint8)


def webcam(img):
    """Few pixels, smeared, sharpened, hard JPEG."""
    h, w = img.shape[:2]
    s = rnd(.5, .95)
    f = cv2.resize(img, None, fx=s, fy=s, interpolation=cv2.INTER_AREA)
    if random.random() < .4:
        f = cv2.bilateralFilter(f, 5, rnd(10, 40), 2)
    if random.random() < .5:
        f = np.clip(cv2.addWeighted(f, 2, cv2.GaussianBlur(f, (0, 0), 1), -1, 0), 0, 255)
    f = cv2.imdecode(cv2.imencode(".jpg", f, [cv2.IMWRITE_JPEG_QUALITY, random.randint(15, 60)])[1], cv2.IMREAD_COLOR)
    return cv2.resize(f, (w, h), interpolation=cv2.INTER_LINEAR)


def blown(img):
    """Overexposed: white stones and pale wood run together."""
    lin = cv2.LUT(img, (np.linspace(0, 1, 256) ** 2.2).astype(np.float32)) * 2 ** rnd(.6, 1.8)
    k = rnd(.0, .6)     # soft shoulder
    lin = lin / (1 + k * lin) * (1 + k * .8)
    return np.clip(np.clip(lin, 0, 1) ** (1 / 2.2) * 255, 0, 255).astype(np.uint8)


def dye(img, xy, rad, lab):
    """Stones of another colour: green for black, for white, or two greens; seldom other dyes. The darker kind stays black's. RGB uint8."""
    h, w = img.shape[:2]
    hue = np.array([rnd(.02, .25), 1, rnd(.1, .5)]) if random.random() < .8 else np.random.rand(3) + .02
    hue = hue / hue.max()
    f = img.astype(np.float32)
    which = random.choice([(1,), (2,), (1, 2)])
    for kind in which:
        m = np.zeros((h, w), np.uint8)
        for (x, y), r, k in zip(xy, rad, lab):
            if k == kind and -50 < x < w + 50 and -50 < y < h + 50:
                cv2.circle(m, (int(round(x * 8)), int(round(y * 8))), int(max(1, r) * 8), 255, -1, cv2.LINE_AA, 3)
        if not m.any():
            continue
        a = cv2.GaussianBlur(m, (0, 0), .8).astype(np.float32)[..., None] / 255
        g = (f @ np.float32([.3, .59, .11]))[..., None] / 255
        if kind == 1:       # dark: brighter than black, but darker than white
            o = np.float32(hue * rnd(40, 130)) * (.35 + 1.6 * g) + 180 * np.clip(g - .45, 0, 1)
        else:
            s = rnd(.3, .9)
            o = 255 * g * np.float32(1 - s * (1 - hue)) * rnd(.85, 1.05)
        f = f * (1 - a) + np.clip(o, 0, 255) * a
    return np.clip(f, 0, 255).astype(np.uint8)


def fill_up(rec, share):
    """The same photo with copies of its own stones on its empty points, far rows first. `share` of the points in the end."""
    n, pts, lab = rec["n"], rec["pts"], rec["lab"].copy()
    img = rec["img"].copy()
    h, w = img.shape[:2]
    have = {k: [tuple(p) for p in np.argwhere(lab == k)] for k in (1, 2)}
    if min(len(have[1]), len(have[2])) < 3:
        return None
    todo = [tuple(p) for p in np.argwhere(lab == 0)]
    random.shuffle(todo)
    todo = todo[:max(0, int(share * n * n - (lab > 0).sum()))]
    ux, uy = np.gradient(pts, axis=1), np.gradient(pts, axis=0)
    frame = lambda p: np.stack([ux[p], uy[p]], 1)
    todo.sort(key=lambda p: pts[p][1])
    src = rec["img"]
    for p in todo:
        near = [lab[q] for q in ((p[0] - 1, p[1]), (p[0] + 1, p[1]), (p[0], p[1] - 1), (p[0], p[1] + 1)) if 0 <= q[0] < n and 0 <= q[1] < n and lab[q] in (1, 2)]
        k = random.choice(near) if near and random.random() < .75 else random.randint(1, 2)
        # one of the nearest in the same picture: alike in size and light
        c = sorted(random.sample(have[k], min(len(have[k]), 12)), key=lambda q: np.linalg.norm(pts[q] - pts[p]))
        s = random.choice(c[:3])
        a = frame(p) @ np.linalg.inv(frame(s))
        jit = frame(p) @ np.random.uniform(-.06, .06, 2)
        t = pts[p] + jit - a @ rec["base"][s]
        r = .62 * np.linalg.norm(frame(p), axis=0).max()
        x0, y0, x1, y1 = (int(v) for v in (max(0, pts[p][0] - r - 2), max(0, pts[p][1] - r - 2), min(w, pts[p][0] + r + 3), min(h, pts[p][1] + r + 3)))
        if x1 - x0 < 4 or y1 - y0 < 4:
            continue
        m = np.hstack([a, (t - [x0, y0])[:, None]]).astype(np.float32)
        patch = cv2.warpAffine(src, m, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        yy, xx = np.mgrid[y0:y1, x0:x1]
        d = np.linalg.inv(frame(p)) @ np.stack([xx.ravel() - pts[p][0] - jit[0], yy.ravel() - pts[p][1] - jit[1]])
        e = np.clip((.53 - np.hypot(d[0], d[1])) / .07, 0, 1).reshape(xx.shape)[..., None]
        img[y0:y1, x0:x1] = img[y0:y1, x0:x1] * (1 - e) + patch * e
        lab[p] = k
    out = dict(rec)
    out.update(img=img, half=cv2.resize(img, None, fx=.5, fy=.5, interpolation=cv2.INTER_AREA), lab=lab, col=lab.copy(), source="filled", name="filled:" + rec["source"] + ":" + rec["name"])
    return out
