"""finish.py --cache FILE ... --weights READ.pt [OTHER.pt] --onnx read.onnx
Averages the weights of read networks that come from one ancestor, fits the temperature on the held-out pictures as the program reads them
(seen as it is and mirrored, averaged), folds it in, exports, and says how often what is given with 0.99 is right."""
import argparse
import pickle
import random

import numpy as np
import torch

import nets
from data import sample_read
from evaluate import run

ap = argparse.ArgumentParser()
ap.add_argument("--cache", required=True, nargs="+")
ap.add_argument("--weights", required=True, nargs="+")
ap.add_argument("--onnx", required=True)
a = ap.parse_args()
torch.set_num_threads(1)
states = [torch.load(w) for w in a.weights]
mean = {k: sum(s[k] for s in states) / len(states) if states[0][k].dtype.is_floating_point else states[0][k] for k in states[0] if k != "temperature"}
net = nets.Read()
net.load_state_dict(mean)
net.eval()
recs = [r for f in a.cache for r in pickle.load(open(f, "rb"))[0]]
stills = [r for r in recs if r["source"] == "stills"]
held = {r["name"] for r in random.Random(7).sample(stills, len(stills) // 5)}
test = [r for r in recs if r["source"] in ("pic2sgf", "goban-to-sgf") or (r["source"] == "stills" and r["name"] in held)]
random.seed(3), np.random.seed(3)
z, l = [], []
for r in test:
    img, lab, _ = sample_read(r, [], aug=False)
    y = (run(net, img)[:4, 1:-1, 1:-1] + run(net, img[:, ::-1])[:4, 1:-1, -2:0:-1]) / 2
    z.append(y.reshape(4, -1))
    l.append(lab.ravel())
z, l = np.concatenate(z, 1), np.concatenate(l)
z, l = z[:, l >= 0], l[l >= 0]


def probabilities(t):
    q = np.exp(z * t - (z * t).max(0))
    return q / q.sum(0)


ts = np.exp(np.linspace(np.log(.3), np.log(2.5), 80))
t = float(min(ts, key=lambda t: -np.log(probabilities(t)[l, np.arange(len(l))] + 1e-12).mean()))
q = probabilities(t)
kind, sure = q.argmax(0), q.max(0)
print("temperature: logits x %.3f" % t)
for lo, hi in ((.5, .7), (.7, .9), (.9, .97), (.97, .99), (.99, .997), (.997, 1.01), (.99, 1.01)):
    m = (sure >= lo) & (sure < hi)
    print("%.3f to %.3f: %d points, right %.5f" % (lo, min(hi, 1), m.sum(), (kind == l)[m].mean() if m.any() else 0))
with torch.no_grad():
    net.head.weight[:4] *= t
    net.head.bias[:4] *= t
nets.export(net, a.onnx, "board", "points", 240)
print("difference from torch", nets.check(net, a.onnx, [(336, 336), (176, 176), (240, 240)]))
