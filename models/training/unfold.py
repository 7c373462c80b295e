"""unfold.py --net locate|read --onnx FILE --cache FILE ... --out NAME.pt
Weights to go on training from, out of an exported file. The export folds each batch norm into its convolution; here every norm gets the
mean and deviation that its convolution has on training pictures, so that the network says what the file says, and training can go on."""
import argparse
import pickle
import random

import cv2
import numpy as np
import onnx
import torch
import torch.nn as nn
from onnx import numpy_helper

import data
import nets

ap = argparse.ArgumentParser()
for k in ("net", "onnx", "out"):
    ap.add_argument("--" + k, required=True)
ap.add_argument("--cache", required=True, nargs="+")
a = ap.parse_args()
graph = onnx.load(a.onnx).graph
weights = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in graph.initializer}
exported = [n for n in graph.node if n.op_type == "Conv"]
net = (nets.Locate() if a.net == "locate" else nets.Read()).eval()

# the convolutions in the order in which they run, which is that of the file
ran = []
hooks = [m.register_forward_hook(lambda m, i, o: ran.append(m)) for m in net.modules() if isinstance(m, nn.Conv2d)]
with torch.no_grad():
    net(torch.rand(1, 3, 320, 320))
for h in hooks:
    h.remove()
assert len(ran) == len(exported), (len(ran), len(exported))
norm_of = {m[0]: m[1] for m in net.modules() if isinstance(m, nn.Sequential) and len(m) > 1 and isinstance(m[1], nn.BatchNorm2d)}
for conv, node in zip(ran, exported):
    w = weights[node.input[1]]
    b = weights[node.input[2]] if len(node.input) > 2 else torch.zeros(w.shape[0])
    assert w.shape == conv.weight.shape, (node.name, w.shape, conv.weight.shape)
    conv.weight.data.copy_(w)
    if conv in norm_of:
        norm = norm_of[conv]
        norm.running_mean.zero_()
        norm.running_var.fill_(1 - norm.eps)
        norm.weight.data.fill_(1)
        norm.bias.data.copy_(b)
    else:
        conv.bias.data.copy_(b)


def outputs(x):
    with torch.no_grad():
        y = net(torch.from_numpy(x))
    return (torch.sigmoid(y) if a.net == "locate" else y).numpy()


x = np.random.rand(1, 3, 336, 336).astype(np.float32)
file = cv2.dnn.readNetFromONNX(a.onnx)
file.setInput(x)
print("difference from the file", np.abs(file.forward() - outputs(x)).max())

recs, cuts = [], []
for f in a.cache:
    r, c = pickle.load(open(f, "rb"))
    recs += [q for q in r if q["source"] != "plain"]
    cuts += c
random.seed(1), np.random.seed(1)
seen = {c: [] for c in norm_of}
hooks = [c.register_forward_hook(lambda m, i, o: seen[m].append((o.mean((0, 2, 3)), (o * o).mean((0, 2, 3))))) for c in norm_of]
for k in range(40):
    if a.net == "locate":
        xs = [data.sample_locate(random.choice(recs), (320, 320), cuts)[0] for _ in range(4)]
    else:
        same = [r for r in recs if r["n"] == (19, 19, 13, 9)[k % 4]]
        xs = [data.sample_read(random.choice(same), cuts)[0] for _ in range(4)]
    with torch.no_grad():
        net(torch.from_numpy(np.stack(xs)).permute(0, 3, 1, 2).float() / 255)
for h in hooks:
    h.remove()
before = outputs(x)
for conv, norm in norm_of.items():
    mean = torch.stack([m for m, _ in seen[conv]]).mean(0)
    var = torch.stack([q for _, q in seen[conv]]).mean(0) - mean * mean
    gain, bias = torch.sqrt(var + norm.eps), norm.bias.data + mean
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(var)
    norm.weight.data.copy_(gain)
    norm.bias.data.copy_(bias)
print("difference after unfolding", np.abs(outputs(x) - before).max())
torch.save(net.state_dict(), a.out)
