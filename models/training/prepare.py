"""Reads the sources once and keeps them as one file: prepare.py --stills DIR --photos DIR --clips DIR --out cache.pkl [--read read.pt] [--plain DIR] [--hard DIR]
With --read (a first read network) the lattices fitted through boxes of stones are checked and nudged with it.
--plain: pictures of anything but Go boards. Photos are kept once more with copies of their own stones on most of their empty points."""
import argparse
import glob
import os
import pickle
import random

import cv2
import numpy as np

from augment import fill_up
from data import load_clip, load_photos, load_stills
from stones import clean, load_stones

ap = argparse.ArgumentParser()
for k in ("stills", "photos", "clips", "out"):
    ap.add_argument("--" + k, required=True)
ap.add_argument("--read")
ap.add_argument("--plain")
ap.add_argument("--hard", help="more rendered pictures, as in --stills")
a = ap.parse_args()
random.seed(5), np.random.seed(5)
recs, cuts = load_stills(a.stills), []
for r in load_stills(a.hard) if a.hard else []:
    r.update(source="hard", name="hard:" + r["name"])
    recs.append(r)
for s in ("go-corners", "pic2sgf", "goban-to-sgf", "gobonline"):
    recs += load_photos(a.photos, s)
recs += [f for r in recs if r["source"] in ("go-corners", "gobonline") for _ in range(2) for f in [fill_up(r, random.uniform(.55, .97))] if f]
for f in sorted(glob.glob(os.path.join(a.plain, "**", "*.jpg"), recursive=True)) if a.plain else []:
    img = cv2.imread(f)
    if img is not None and min(img.shape[:2]) >= 200:
        k = min(1, 640 / max(img.shape[:2]))
        img = cv2.resize(img, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
        if min(img.shape[:2]) >= 130:
            recs.append(dict(img=np.ascontiguousarray(img[:, :, ::-1]), source="plain", name="plain:" + f, n=0))
stones = load_stones(a.photos)
recs += clean(stones, a.read) if a.read else stones
k = 2 / 3
for s in sorted(os.listdir(a.clips)):
    if not os.path.isdir(os.path.join(a.clips, s)):
        continue
    r, c = load_clip(a.clips, s)
    for q in r:
        if q["source"] == "hands":      # many; kept smaller
            q["img"] = cv2.resize(q["img"], None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
            q["half"] = cv2.resize(q["img"], None, fx=.5, fy=.5, interpolation=cv2.INTER_AREA)
            q["pts"], q["base"] = (q["pts"] + .5) * k - .5, (q["base"] + .5) * k - .5
    for q in c:
        ys, xs = np.nonzero(q["rgba"][..., 3])
        q["rgba"] = np.ascontiguousarray(q["rgba"][max(0, ys.min() - 2):ys.max() + 3, max(0, xs.min() - 2):xs.max() + 3])
    recs, cuts = recs + r, cuts + c
    print(s, len(r), "pictures", len(c), "hands", flush=True)
pickle.dump((recs, cuts), open(a.out, "wb"), protocol=4)
