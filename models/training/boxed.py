"""Pictures that have only boxes of stones, as whole boards: boxed.py --stones DIR --goband PROGRAM --out cache.pkl
The lattice is the one that `goband read` finds; what lies on it is what the boxes say. Where the program reads a stone of the other colour the
box is right if the stone's brightness is nearer to that of the stones of its colour (white stones in glare), else the point is unknown. Held out:
the folders `test` and `valid`."""
import argparse
import glob
import json
import os
import pickle
import subprocess

import cv2
import numpy as np

from data import persp, record, unit

MOST_AMISS = .09    # share of the stones on which boxes and program may differ; more says that the lattice or the boxes are wrong


def brightness(grey, at, radius):
    """Median grey of the middle of each stone."""
    out = []
    for (x, y), r in zip(at, radius):
        k = max(1, int(.3 * r))
        x, y = int(round(x)), int(round(y))
        p = grey[max(0, y - k):y + k + 1, max(0, x - k):x + k + 1]
        out.append(np.median(p) if p.size else 128)
    return np.array(out)


def board_of(path, program):
    done = subprocess.run([program, "read", path, "--format", "json"], capture_output=True, text=True)
    if done.returncode:
        return None
    found = json.loads(done.stdout)
    n, read, corners = found["size"], found["board"], np.float32(found["corners"])
    img = cv2.imread(path)
    h, w = img.shape[:2]
    label = path.replace("/images/", "/labels/").rsplit(".", 1)[0] + ".txt"
    boxes = np.array([list(map(float, l.split()[:5])) for l in open(label) if l.strip()]).reshape(-1, 5)
    centre = boxes[:, 1:3] * [w, h] - .5
    # a box holds all of the stone, which stands over its point
    at = persp(cv2.getPerspectiveTransform(corners, unit(n)).astype(np.float64), centre)
    point = np.round(at).astype(int)
    inside = ((point >= 0) & (point < n)).all(1)
    tone = brightness(cv2.cvtColor(img, cv2.COLOR_BGR2GRAY), centre, boxes[:, 3] * w / 2)
    letter = np.array(["BW"[int(k)] for k in boxes[:, 0]])
    says = np.array([read[r][c] if ok else "?" for (c, r), ok in zip(point, inside)])
    alike = says == letter
    if inside.mean() < .97 or (~alike).mean() > MOST_AMISS or min(((letter == k) & alike).sum() for k in "BW") < 4:
        return None
    usual = {k: np.median(tone[alike & (letter == k)]) for k in "BW"}
    board = [list(row) for row in read]
    for row in board:       # a stone without a box is unknown
        row[:] = ["." if s == "." else "?" for s in row]
    taken = {}
    for (c, r), ok, k, s, t in zip(point, inside, letter, says, tone):
        if not ok:
            continue
        other = "BW".replace(k, "")
        right = s == k or (s == other and abs(t - usual[k]) < .5 * abs(t - usual[other]))
        board[r][c] = k if right and (r, c) not in taken else "?"
        taken[r, c] = k
    r = record(img, n, corners, ["".join(row) for row in board], "stones", name="boxed:" + path)
    r["base"] = r["pts"].copy()
    return r, int((~alike).sum()), sum(board[y][x] != read[y][x] and board[y][x] != "?" for y in range(n) for x in range(n))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    for k in ("stones", "goband", "out"):
        ap.add_argument("--" + k, required=True)
    a = ap.parse_args()
    recs, amiss, taught = [], 0, 0
    files = sorted(glob.glob(os.path.join(a.stones, "*", "images", "*")))
    for f in files:
        b = board_of(f, a.goband)
        if b:
            recs.append(b[0])
            amiss, taught = amiss + b[1], taught + b[2]
    print("boxed: %d of %d pictures; boxes read differently %d, of which believed %d" % (len(recs), len(files), amiss, taught))
    pickle.dump((recs, []), open(a.out, "wb"), protocol=4)
