"""Things that are no Go boards but look like one to a network: other boards, grids, tiles, keys, print; seen in perspective."""
import random

import cv2
import numpy as np


def rnd(a, b):
    return random.uniform(a, b)


def ink():
    return tuple(float(v) for v in (np.repeat(rnd(5, 90), 3) + np.random.uniform(0, 25, 3)))


def pale():
    return tuple(float(v) for v in np.clip(np.repeat(rnd(165, 250), 3) + np.random.uniform(-35, 5, 3), 0, 255))


def wood():
    c = np.array(random.choice([(222, 184, 120), (205, 160, 95), (170, 115, 60), (235, 205, 150), (120, 75, 40), (240, 215, 160)])) * rnd(.8, 1.1)
    return tuple(float(v) for v in np.clip(c + np.random.uniform(-12, 12, 3), 0, 255))


def any_colour():
    return random.choice([pale, wood, ink, lambda: tuple(np.random.uniform(10, 245, 3).tolist())])()


def canvas(w, h, c):
    f = np.empty((int(h), int(w), 3), np.float32)
    f[:] = c
    g = cv2.resize(np.random.rand(max(2, int(h) // random.choice([3, 8, 60])), random.choice([3, 6, 20])).astype(np.float32), (int(w), int(h)), interpolation=cv2.INTER_CUBIC)
    return np.ascontiguousarray(np.clip(f * (1 + (g - .5) * rnd(0, .3))[..., None], 0, 255).astype(np.uint8))


def lines(f, xs, ys, c, t=1, x=None, y=None):
    a, b = x or (xs[0], xs[-1])
    d, e = y or (ys[0], ys[-1])
    for v in xs:
        cv2.line(f, (int(v), int(d)), (int(v), int(e)), c, t, cv2.LINE_AA)
    for v in ys:
        cv2.line(f, (int(a), int(v)), (int(b), int(v)), c, t, cv2.LINE_AA)


def disc(f, x, y, r, c, rim=None):
    cv2.circle(f, (int(x * 8), int(y * 8)), int(r * 8), c, -1, cv2.LINE_AA, 3)
    cv2.circle(f, (int((x - r * .25) * 8), int((y - r * .25) * 8)), int(r * 3), tuple(min(255.0, v + 25) for v in c), -1, cv2.LINE_AA, 3)
    if rim:
        cv2.circle(f, (int(x * 8), int(y * 8)), int(r * 8), rim, random.randint(1, 2), cv2.LINE_AA, 3)


def text(f, s, x, y, k, c, t=1):
    (w, h), _ = cv2.getTextSize(s, 0, k, t)
    cv2.putText(f, s, (int(x - w / 2), int(y + h / 2)), random.choice([0, 2, 3]), k, c, t, cv2.LINE_AA)


def grid(nx, ny, p, m):
    return [m + p * i for i in range(nx)], [m + p * i for i in range(ny)]


def frame(p, nx, ny, c, m=None):
    m = p * rnd(.3, 1.3) if m is None else m
    return canvas(p * (nx - 1) + 2 * m, p * (ny - 1) + 2 * m, c), m


def reversi():
    p = rnd(30, 60)
    f, m = frame(p, 9, 9, random.choice([(20, 120, 60), (30, 100, 50), (10, 140, 80), (60, 110, 60)]) if random.random() < .8 else any_colour())
    xs, ys = grid(9, 9, p, m)
    lines(f, xs, ys, ink(), random.randint(1, 3))
    for q in ((2, 2), (2, 6), (6, 2), (6, 6)):
        cv2.circle(f, (int(xs[q[0]]), int(ys[q[1]])), 4, (20, 20, 20), -1, cv2.LINE_AA)
    share = random.choice([0, .06, .3, .7, 1])
    for i in range(8):
        for j in range(8):
            if random.random() < share:
                disc(f, xs[i] + p / 2, ys[j] + p / 2, p * rnd(.38, .44), random.choice([(20, 20, 20), (235, 235, 230)]))
    return f


def chess():
    n = random.choice([8, 8, 8, 10])
    p = rnd(28, 60)
    f, m = frame(p, n + 1, n + 1, any_colour())
    a, b = (pale(), ink()) if random.random() < .5 else (wood(), tuple(v * .45 for v in wood()))
    s = random.choice([0, 0, .2, .5])
    checkers = random.random() < .4
    for i in range(n):
        for j in range(n):
            x, y = m + i * p, m + j * p
            cv2.rectangle(f, (int(x), int(y)), (int(x + p), int(y + p)), a if (i + j) % 2 else b, -1)
    for i in range(n):
        for j in range(n):
            x, y = m + (i + .5) * p, m + (j + .5) * p
            if random.random() < s:
                c = random.choice([(25, 22, 20), (235, 225, 200), (170, 30, 30)])
                disc(f, x, y, p * rnd(.28, .42), c, (90, 90, 90))
                if not checkers:
                    cv2.ellipse(f, (int(x), int(y - p * .4)), (int(p * .17), int(p * .4)), 0, 0, 360, c, -1, cv2.LINE_AA)
    return f


def xiangqi():
    p = rnd(30, 60)
    f, m = frame(p, 9, 10, wood(), p * rnd(.5, 1.2))
    xs, ys = grid(9, 10, p, m)
    c, t = ink(), random.randint(1, 2)
    lines(f, xs, ys[:5], c, t)
    lines(f, xs, ys[5:], c, t)
    if random.random() < .3:
        lines(f, xs, ys, c, t)
    lines(f, [xs[0], xs[-1]], ys, c, t)
    for a in (0, 7):
        cv2.line(f, (int(xs[3]), int(ys[a])), (int(xs[5]), int(ys[a + 2])), c, t, cv2.LINE_AA)
        cv2.line(f, (int(xs[5]), int(ys[a])), (int(xs[3]), int(ys[a + 2])), c, t, cv2.LINE_AA)
    s = random.choice([0, .1, .35, .35])
    for x in xs:
        for y in ys:
            if random.random() < s:
                disc(f, x, y, p * rnd(.36, .44), wood(), random.choice([(150, 30, 30), (20, 20, 20), (30, 90, 40)]))
                text(f, random.choice("ABEHKMRWXZ#"), x, y, p / 45, random.choice([(160, 30, 30), (25, 25, 25)]), 2)
    return f


def shogi():
    p = rnd(30, 60)
    f, m = frame(p, 10, 10, wood(), p * rnd(.3, 1))
    xs, ys = grid(10, 10, p, m)
    lines(f, xs, ys, ink(), random.randint(1, 2))
    s = random.choice([0, .2, .45])
    for i in range(9):
        for j in range(9):
            if random.random() < s:
                x, y, k = xs[i] + p / 2, ys[j] + p / 2, random.choice([-1, 1])
                q = np.array([[-.36, .4], [.36, .4], [.3, -.2], [0, -.42], [-.3, -.2]]) * p * [1, k] + [x, y]
                cv2.fillPoly(f, [np.int32(q)], wood(), cv2.LINE_AA)
                cv2.polylines(f, [np.int32(q)], True, (90, 60, 30), 1, cv2.LINE_AA)
                text(f, random.choice("EHKMRWX"), x, y, p / 60, (20, 20, 20), 1)
    return f


def sudoku():
    n = random.choice([9, 9, 9, 6, 12, 16])
    k = {9: 3, 6: 3, 12: 3, 16: 4}[n]
    p = rnd(24, 50)
    f, m = frame(p, n + 1, n + 1, pale())
    xs, ys = grid(n + 1, n + 1, p, m)
    c = ink()
    lines(f, xs, ys, c, 1)
    lines(f, xs[::k], ys[::k], c, random.randint(2, 4))
    s = random.choice([.3, .5, 1])
    for i in range(n):
        for j in range(n):
            if random.random() < s:
                text(f, random.choice("123456789"), xs[i] + p / 2, ys[j] + p / 2, p / 40, c, random.randint(1, 2))
    return f


def crossword():
    n = random.choice([11, 13, 15, 17, 21])
    p = rnd(18, 34)
    f, m = frame(p, n + 1, n + 1, pale())
    xs, ys = grid(n + 1, n + 1, p, m)
    lines(f, xs, ys, ink(), 1)
    for i in range(n):
        for j in range(n):
            u = random.random()
            if u < .2:
                cv2.rectangle(f, (int(xs[i]), int(ys[j])), (int(xs[i] + p), int(ys[j] + p)), (25, 25, 25), -1)
            elif u < .5:
                text(f, random.choice("ABCDEFGHILMNOPRSTUVZ"), xs[i] + p / 2, ys[j] + p / 2, p / 45, (40, 40, 60), 1)
    return f


def table():
    """A calendar, a form, a spreadsheet."""
    nx, ny = random.randint(4, 14), random.randint(4, 16)
    px, py = rnd(24, 80), rnd(16, 60)
    f = canvas(px * nx + 40, py * ny + 80, pale())
    xs, ys = [20 + px * i for i in range(nx + 1)], [60 + py * i for i in range(ny + 1)]
    c = ink()
    lines(f, xs, ys, c, random.randint(1, 2))
    day = 1
    for y in ys[:-1]:
        for x in xs[:-1]:
            if random.random() < .75:
                text(f, str(day) if nx == 7 else random.choice(["12", "ab", "x", "3.5", "OK"]), x + px * rnd(.2, .8), y + py / 2, py / 60, c, 1)
            day = day % 31 + 1
    text(f, "NOVEMBER", 160, 30, 1, c, 2)
    return f


def graph_paper():
    p = rnd(9, 30)
    n = random.choice([random.randint(20, 44), random.randint(20, 44), random.randint(14, 18)])
    f = canvas(p * n, p * n * rnd(.6, 1.4), pale())
    h, w = f.shape[:2]
    c = tuple(float(v) for v in np.clip(np.array(random.choice([(120, 150, 200), (150, 150, 150), (130, 190, 150), (200, 140, 120)])) + rnd(-50, 20), 0, 255))
    lines(f, np.arange(0, w, p), np.arange(0, h, p), c, 1, (0, w), (0, h))
    if random.random() < .5:
        lines(f, np.arange(0, w, 5 * p), np.arange(0, h, 5 * p), tuple(v * .7 for v in c), 1, (0, w), (0, h))
    if random.random() < .4:
        for _ in range(random.randint(1, 14)):
            q = np.cumsum(np.random.randn(20, 2) * p, 0) + [rnd(0, w), rnd(0, h)]
            cv2.polylines(f, [np.int32(q)], False, (40, 50, 140), 2, cv2.LINE_AA)
    return f


def bare_grid():
    """Lines that are not 9, 13 or 19 each way, closed by an edge or not."""
    while True:
        nx, ny = random.randint(5, 24), random.randint(5, 24)
        if random.random() < .5:
            ny = nx
        if nx not in (9, 13, 19) or ny not in (9, 13, 19):
            break
    p = rnd(20, 50)
    f, m = frame(p, nx, ny, any_colour(), p * rnd(.2, 2))
    xs, ys = grid(nx, ny, p * rnd(.9, 1), m)
    over = random.random() < .3
    h, w = f.shape[:2]
    lines(f, xs, ys, any_colour(), random.randint(1, 4), (0, w) if over else None, (0, h) if over else None)
    return f


def tiles():
    px, py = rnd(22, 70), rnd(22, 70)
    if random.random() < .7:
        py = px
    nx, ny = random.randint(6, 22), random.randint(6, 22)
    g = any_colour()
    f = canvas(px * nx, py * ny, g)
    a, t = any_colour(), rnd(.02, .12)
    b = any_colour() if random.random() < .3 else a
    brick = random.random() < .25
    for j in range(ny):
        for i in range(-1, nx):
            x, y = (i + (.5 if brick and j % 2 else 0)) * px, j * py
            v = rnd(.94, 1.03)
            c = tuple(min(255.0, k * v) for k in ((a, b)[(i + j) % 2] if b is not a else a))
            cv2.rectangle(f, (int(x + px * t), int(y + py * t)), (int(x + px * (1 - t)), int(y + py * (1 - t))), c, -1)
    return f


def window_bars():
    nx, ny = random.randint(3, 9), random.randint(3, 10)
    p = rnd(40, 90)
    f = canvas(p * nx, p * ny, pale() if random.random() < .6 else (40, 50, 70))
    for _ in range(30):
        cv2.circle(f, (random.randint(0, f.shape[1]), random.randint(0, f.shape[0])), random.randint(10, 120), any_colour(), -1)
    f = cv2.GaussianBlur(f, (0, 0), 14)
    t = random.randint(3, 14)
    lines(f, [p * i for i in range(nx + 1)], [p * i for i in range(ny + 1)], any_colour(), t)
    return f


def keys():
    p = rnd(26, 48)
    f = canvas(p * 15.6, p * 6.2, ink() if random.random() < .6 else pale())
    c = ink() if random.random() < .5 else pale()
    for j in range(5):
        for i in range(14):
            x, y = p * (.4 + i + .25 * j), p * (.5 + j)
            cv2.rectangle(f, (int(x), int(y)), (int(x + p * .86), int(y + p * .86)), c, -1)
            text(f, random.choice("ABCDEFGHJKLMNOPQRSTUVWXYZ1234567890"), x + p * .35, y + p * .4, p / 80, pale() if c[0] < 120 else ink(), 1)
    return f


def holes():
    """Peg boards, speaker grilles, trays, eggs, bottle tops: round things in rows."""
    nx, ny = random.randint(4, 24), random.randint(4, 20)
    p, r = rnd(22, 50), rnd(.12, .46)
    f = canvas(p * nx, p * ny, any_colour())
    c = [any_colour() for _ in range(random.choice([1, 1, 2, 3]))]
    hexed = random.random() < .35
    share = random.choice([1, 1, .9, .6])
    for j in range(ny):
        for i in range(nx):
            if random.random() < share:
                disc(f, p * (i + .5 + (.5 if hexed and j % 2 else 0)), p * (j + .5), p * r, random.choice(c), (70, 70, 70) if random.random() < .5 else None)
    return f


def weave():
    p = rnd(10, 40)
    f = canvas(640, 640, any_colour())
    c, t = any_colour(), random.randint(1, max(2, int(p * .4)))
    g = np.arange(0, 640, p)
    if random.random() < .5:
        lines(f, g, g, c, t, (0, 640), (0, 640))
    else:
        for v in np.arange(-640, 1280, p):
            cv2.line(f, (int(v), 0), (int(v + 640), 640), c, t, cv2.LINE_AA)
            cv2.line(f, (int(v), 0), (int(v - 640), 640), c, t, cv2.LINE_AA)
    return f


def books():
    f = canvas(700, 500, ink())
    for k in range(3):
        x = 0
        while x < 700:
            w = random.randint(12, 50)
            h = random.randint(110, 158)
            cv2.rectangle(f, (x, 160 * (k + 1) - h), (x + w, 160 * (k + 1)), any_colour(), -1)
            cv2.line(f, (x + w // 2, 160 * (k + 1) - h + 20), (x + w // 2, 160 * (k + 1) - 30), any_colour(), 2)
            x += w + 1
    return f


def page():
    f = canvas(560, 700, pale())
    c = ink()
    for y in range(40, 670, random.randint(14, 30)):
        x = 40
        while x < 500:
            w = random.randint(8, 60)
            cv2.line(f, (x, y), (min(520, x + w), y), c, random.randint(2, 8))
            x += w + random.randint(5, 12)
    return f


KINDS = [(reversi, 3), (chess, 3), (xiangqi, 3), (shogi, 2.5), (sudoku, 3), (crossword, 1.5), (table, 1.5), (graph_paper, 2), (bare_grid, 3), (tiles, 3),
         (window_bars, 1), (keys, 1.2), (holes, 1.5), (weave, 1.2), (books, .5), (page, .7)]


def thing(kind=None):
    return (kind or random.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0])()


def scene(background, size, kind=None, many=1):
    """`thing`s in perspective on a background picture (RGB, at least of that size). `size` (width, height)."""
    w, h = size
    img = cv2.resize(background, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)
    for _ in range(many):
        t = thing(kind)
        th, tw = t.shape[:2]
        s = rnd(.5, 1.15) * min(w / tw, h / th)
        q = np.array([[-tw, -th], [tw, -th], [tw, th], [-tw, th]], float) / 2 * s
        tilt = rnd(.45, 1) if random.random() < .6 else 1
        a = rnd(-.35, .35) if random.random() < .6 else rnd(0, 6.28)
        q = q @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        depth = 1 + q[:, 1] / h * rnd(0, .9) * (1.2 - tilt) * 2      # lower is nearer
        q = q * np.array([1, tilt]) * np.clip(depth, .4, 2)[:, None] + [w * rnd(.4, .6), h * rnd(.4, .6)]
        m = cv2.getPerspectiveTransform(np.float32([[0, 0], [tw, 0], [tw, th], [0, th]]), np.float32(q))
        if s < .6:
            t = cv2.resize(t, None, fx=.5, fy=.5, interpolation=cv2.INTER_AREA)
            m = m @ np.diag([2, 2, 1.])
        al = cv2.warpPerspective(np.full(t.shape[:2], 255, np.uint8), m, (w, h)).astype(np.float32)[..., None] / 255
        sh = cv2.GaussianBlur(np.roll(al[..., 0], (random.randint(0, 6), random.randint(0, 6)), (0, 1)), (0, 0), rnd(1, 6))[..., None]
        img = img * (1 - .5 * sh * (1 - al))
        img = img * (1 - al) + cv2.warpPerspective(t, m, (w, h), flags=cv2.INTER_LINEAR).astype(np.float32) * al
    return np.clip(img, 0, 255).astype(np.uint8)
