"""The two networks. Plain convolutions, batch norm, ReLU: all that OpenCV 4.6's dnn runs fast."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def cbr(i, o, k=3, s=1, d=1):
    p = (k - s + 1) // 2 if k % 2 == 0 else d * (k // 2)
    return nn.Sequential(nn.Conv2d(i, o, k, s, p, dilation=d, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Locate(nn.Module):
    """Small U-Net, output at stride 2: five heat maps (logits; Export adds the sigmoid)."""

    def __init__(self, c=(16, 32, 56, 64)):
        super().__init__()
        a, b, e, f = c
        self.e1 = nn.Sequential(cbr(3, a, 6, 2), cbr(a, a))
        self.e2 = nn.Sequential(cbr(a, b, 3, 2), cbr(b, b))
        self.e3 = nn.Sequential(cbr(b, e, 3, 2), cbr(e, e))
        self.e4 = cbr(e, f, 3, 2)
        self.m1, self.m2, self.m3 = cbr(f, f), cbr(f, f, 3, 1, 2), cbr(f, f, 3, 1, 4)
        self.l3, self.d3 = nn.Conv2d(f, e, 1), cbr(e, e)
        self.l2, self.d2 = nn.Conv2d(e, b, 1), cbr(b, b)
        self.l1, self.d1 = nn.Conv2d(b, a, 1), cbr(a, a)
        self.head = nn.Conv2d(a, 5, 1)
        nn.init.constant_(self.head.bias, -3.0)

    def forward(self, x):
        a = self.e1(x)
        b = self.e2(a)
        e = self.e3(b)
        f = self.e4(e)
        f = f + self.m1(f)
        f = f + self.m2(f)
        f = f + self.m3(f)
        e = self.d3(e + F.interpolate(self.l3(f), scale_factor=2.0, mode="nearest"))
        b = self.d2(b + F.interpolate(self.l2(e), scale_factor=2.0, mode="nearest"))
        a = self.d1(a + F.interpolate(self.l1(b), scale_factor=2.0, mode="nearest"))
        return self.head(a)


class Read(nn.Module):
    """One output cell a crossing (stride 16): logits of empty, black, white, hidden; offset dx, dy."""

    def __init__(self, c=(16, 32, 64, 80)):
        super().__init__()
        a, b, e, f = c
        self.c1 = cbr(3, a, 6, 2)
        self.c2 = nn.Sequential(cbr(a, b, 3, 2), cbr(b, b))
        self.c3 = nn.Sequential(cbr(b, e, 4, 2), cbr(e, e))
        self.c4 = cbr(e, f, 4, 2)
        self.g = nn.Sequential(nn.Conv2d(e, 32, 1), nn.ReLU(inplace=True), nn.Conv2d(32, 2 * f, 1))
        self.f = f
        self.m1, self.m2 = cbr(f, f), cbr(f, f, 1)
        self.g2 = nn.Sequential(nn.Conv2d(f, 48, 1), nn.ReLU(inplace=True), nn.Conv2d(48, 2 * f, 1))
        self.m3, self.m4 = (nn.Sequential(cbr(f, 2 * f, 1), nn.Conv2d(2 * f, f, 1)) for _ in range(2))
        self.head = nn.Conv2d(f, 6, 1)
        for last in (self.g2[2], self.m3[1], self.m4[1]):      # these begin as if they were not there
            nn.init.zeros_(last.weight), nn.init.zeros_(last.bias)

    def forward(self, x):
        e = self.c3(self.c2(self.c1(x)))
        g = self.g(F.adaptive_avg_pool2d(e, 1))     # the whole board's colour: gain and bias a channel
        f = self.c4(e)
        f = f * torch.sigmoid(g[:, :self.f]) + g[:, self.f:]
        f = f + self.m1(f)
        f = f + self.m2(f)
        f = f + self.m3(f)
        # what all stones of the board look like decides what this one is: black and white are relative
        g = self.g2(F.adaptive_avg_pool2d(f, 1))
        f = f * (1 + g[:, :self.f]) + g[:, self.f:]
        f = f + self.m4(f)
        return self.head(f)


class Sigmoid(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return torch.sigmoid(self.net(x))


def export(net, path, name_in, name_out, side):
    """Writes an ONNX file of any input size, then renames it into place."""
    import os
    net.eval()
    x = torch.rand(1, 3, side, side)
    torch.onnx.export(net, x, path + ".tmp", opset_version=11, input_names=[name_in], output_names=[name_out],
                      dynamic_axes={name_in: {2: "h", 3: "w"}, name_out: {2: "oh", 3: "ow"}}, do_constant_folding=True)
    os.replace(path + ".tmp", path)


def check(net, path, sizes):
    """Largest difference between torch and cv2.dnn over the sizes (h, w)."""
    import cv2
    import numpy as np
    worst = 0.0
    cv = cv2.dnn.readNetFromONNX(path)
    for h, w in sizes:
        x = np.random.rand(1, 3, h, w).astype(np.float32)
        cv.setInput(x)
        a = cv.forward()
        with torch.no_grad():
            b = net.eval()(torch.from_numpy(x)).numpy()
        assert a.shape == b.shape, (a.shape, b.shape)
        worst = max(worst, float(np.abs(a - b).max()))
    return worst
