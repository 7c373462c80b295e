"""Trains one of the two networks for a given time: train.py --net locate|read --cache FILE --minutes 30 --out NAME [--all] [--init NAME.pt]"""
import argparse
import copy
import json
import math
import pickle
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

import data
import nets
from evaluate import photo_view, rect_view, score_locate, score_read, temperature

ap = argparse.ArgumentParser()
ap.add_argument("--net", required=True)
ap.add_argument("--cache", required=True, nargs="+")
ap.add_argument("--minutes", type=float, default=30)
ap.add_argument("--out", required=True)
ap.add_argument("--all", action="store_true", help="train on the held-out photos too; rendered pictures and the clip stay held out")
ap.add_argument("--init")
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--threads", type=int, default=1)
ap.add_argument("--onnx", help="write an ONNX file here now and then")
ap.add_argument("--temperature", help="weights of the held-out read network: its temperature is folded in at the end")
ap.add_argument("--seed", type=int, default=1)
a = ap.parse_args()
torch.set_num_threads(a.threads)
random.seed(a.seed), np.random.seed(a.seed), torch.manual_seed(a.seed)

recs, cuts = [], []
for f in a.cache:
    r, c = pickle.load(open(f, "rb"))
    recs += r
    cuts += c
plain = [r for r in recs if r["source"] == "plain"]
recs = [r for r in recs if r["source"] != "plain"]
stills = [r for r in recs if r["source"] == "stills"]
held_stills = {r["name"] for r in random.Random(7).sample(stills, len(stills) // 5)}
CLIP = "dev-13x13-dense"
held = lambda r: (r["source"] in ("pic2sgf", "goban-to-sgf") or "pic2sgf" in r["name"] or "goban-to-sgf" in r["name"] or r["name"].startswith(CLIP)
                  or r["name"].startswith("boxed:") and ("/test/" in r["name"] or "/valid/" in r["name"])
                  or (r["source"] == "stills" and r["name"] in held_stills))
test = [r for r in recs if held(r)]
train = [r for r in recs if not held(r) or (a.all and r["source"] in ("pic2sgf", "goban-to-sgf", "filled"))]
cuts = [c for c in cuts if c["frame"][0] != CLIP]
around = [r for r in train if "inside" not in r]
if a.init:
    data.POSITIVE = 3
by = {}
for r in train:
    by.setdefault(r["source"], []).append(r)
WEIGHT = {"locate": {"stills": .5, "go-corners": .13, "gobonline": .08, "pic2sgf": .11, "goban-to-sgf": .05, "clips": .05, "hands": .07, "stones": .09, "filled": .14, "hard": .3},
          "read": {"stills": .48, "go-corners": .15, "gobonline": .05, "pic2sgf": .10, "goban-to-sgf": .04, "clips": .06, "hands": .14, "stones": .25, "filled": .2, "hard": .3}}[a.net]
print({k: len(v) for k, v in by.items()}, "test", len(test), "hands", len(cuts), flush=True)


def pick(n=None):
    while True:
        s = random.choices(list(by), [WEIGHT[k] for k in by])[0]
        c = by[s] if n is None else [r for r in by[s] if r["n"] == n]
        if c:
            return random.choice(c)


def batch_locate(b=8, side=320):
    xs, ts, ws = [], [], []
    for _ in range(b):
        if random.random() < (.13 if a.init else .06):
            x, t, w = data.negative(around, plain, (side, side)), np.zeros((5, side // 2, side // 2), np.float32), np.ones((5, side // 2, side // 2), np.float32)
            w[3] = .3
        else:
            x, t, w = data.sample_locate(pick(), (side, side), cuts)
        xs.append(x), ts.append(t), ws.append(w)
    return np.stack(xs), np.stack(ts), np.stack(ws)


def loss_locate(y, t, w):
    return (F.binary_cross_entropy_with_logits(y, t, reduction="none") * w).mean() * 10


def batch_read():
    n = random.choices([19, 13, 9], [.62, .18, .2])[0]
    b = {19: 8, 13: 14, 9: 22}[n]
    xs, ls, os_ = zip(*[data.sample_read(pick(n), cuts) for _ in range(b)])
    return np.stack(xs), np.stack(ls), np.stack(os_)


def loss_read(y, l, o):
    y = y[:, :, 1:-1, 1:-1]
    ce = F.cross_entropy(y[:, :4], l, ignore_index=-1, label_smoothing=.02, reduction="none")
    ce = ce * (1 + 1.0 * ((l == 1) | (l == 2)))
    st = ~torch.isnan(o[..., 0])
    d = (y[:, 4:].permute(0, 2, 3, 1) - torch.nan_to_num(o))[st]
    return ce.sum() / (l >= 0).sum() + (F.smooth_l1_loss(d, torch.zeros_like(d), beta=.05) * 2 if len(d) else 0)


net = nets.Locate() if a.net == "locate" else nets.Read()
batch, loss_of = (batch_locate, loss_locate) if a.net == "locate" else (batch_read, loss_read)
if a.init:
    net.load_state_dict(torch.load(a.init), strict=False)
net = net.to(memory_format=torch.channels_last)
ema = copy.deepcopy(net)
decay = [p for p in net.parameters() if p.ndim > 1]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": .02}, {"params": [p for p in net.parameters() if p.ndim == 1], "weight_decay": 0}], lr=a.lr)


def report(tag):
    ema.eval()
    if a.net == "locate":
        few = [r for r in test if r["source"] != "hands"]
        few = few if tag == "end" else few[::3]
        s = {"photo": score_locate(ema, few, photo_view), "rectified": score_locate(ema, few, rect_view)}
    else:
        s = score_read(ema, test)
    for k, v in s.items():
        print(" ", tag, k, json.dumps(v), flush=True)
    return s


def save():
    torch.save(ema.state_dict(), a.out + ".pt")
    if a.onnx:
        m = copy.deepcopy(ema).to(memory_format=torch.contiguous_format).eval()
        if a.net == "locate":
            m = nets.Sigmoid(m)
            nets.export(m, a.onnx, "image", "heat", 320)
            d = nets.check(m, a.onnx, [(384, 512), (512, 384), (464, 480)])
        else:
            nets.export(m, a.onnx, "board", "points", 240)
            d = nets.check(m, a.onnx, [(336, 336), (176, 176), (240, 240)])
        print("  exported", a.onnx, "difference", d, flush=True)


t0, step, avg, last_save, last_eval = time.time(), 0, None, time.time(), time.time()
spent = 0.0     # evaluations don't count
while True:
    p = (time.time() - t0 - spent) / (a.minutes * 60)
    if p >= 1:
        break
    lr = a.lr * (min(1, p / .04 + .02) if not a.init else 1) * (.5 + .5 * math.cos(math.pi * p)) + 1e-5
    for g in opt.param_groups:
        g["lr"] = lr
    x, *t = batch()
    x = torch.from_numpy(x).permute(0, 3, 1, 2).float().div_(255)
    net.train()
    with torch.autocast("cpu", dtype=torch.bfloat16):       # twice as fast on CPUs that have it
        y = net(x.contiguous(memory_format=torch.channels_last))
    loss = loss_of(y.float(), *[torch.from_numpy(v) for v in t])
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
    step += 1
    d = min(.997, step / (step + 20))
    with torch.no_grad():
        for e, q in zip(ema.state_dict().values(), net.state_dict().values()):
            if e.dtype.is_floating_point:
                e.mul_(d).add_(q, alpha=1 - d)
            else:
                e.copy_(q)
    avg = loss.item() if avg is None else avg * .98 + .02 * loss.item()
    if step % 50 == 0:
        print("%6d %5.2f min lr %.5f loss %.4f" % (step, (time.time() - t0) / 60, lr, avg), flush=True)
    if time.time() - last_save > 150:
        e0 = time.time()
        save()
        last_save = time.time()
        if time.time() - last_eval > 420:
            report("mid")
            last_eval = time.time()
        spent += time.time() - e0
if a.temperature:
    h = nets.Read()
    h.load_state_dict(torch.load(a.temperature), strict=False)
    t, n1, n2, table = temperature(h.eval(), test)
    print("temperature: logits x %.3f" % t, "held-out loss %.4f (as trained %.4f)" % (n1, n2), json.dumps(table), flush=True)
    with torch.no_grad():
        ema.head.weight[:4] *= t
        ema.head.bias[:4] *= t
save()
s = report("end")
json.dump(s, open(a.out + ".json", "w"), indent=1)
