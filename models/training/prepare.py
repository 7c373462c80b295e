"""Reads the sources once and keeps them as one file: prepare.py --stills DIR --photos DIR --clips DIR --out cache.pkl [--read read.pt]
With --read (a first read network) the lattices fitted through boxes of stones are checked and nudged with it."""
import argparse
import os
import pickle

import cv2
import numpy as np

from data import load_clip, load_photos, load_stills
from stones import clean, load_stones

ap = argparse.ArgumentParser()
for k in ("stills", "photos", "clips", "out"):
    ap.add_argument("--" + k, required=True)
ap.add_argument("--read")
a = ap.parse_args()
recs, cuts = load_stills(a.stills), []
for s in ("go-corners", "pic2sgf", "goban-to-sgf", "gobonline"):
    recs += load_photos(a.photos, s)
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
