# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the segmentation of point clouds into parts."""
import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from model import PointNet
from shapenet import ShapeNetParts


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="pointnet")
    parser.add_argument("--dataset", default="shapenet")
    parser.add_argument("--data", default="shapenetcore_partanno")
    parser.add_argument("--parts", type=int, default=50)
    parser.add_argument("--npoints", type=int, default=2500)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--nepoch", type=int, default=100)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--log_dir", default="log")
    return parser.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    loader = DataLoader(ShapeNetParts(args.data, args.npoints),
                        batch_size=args.batch_size, shuffle=True,
                        num_workers=args.workers, drop_last=True)
    net = PointNet(args.parts).cuda()
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 20, 0.5)
    for epoch in range(1, args.nepoch + 1):
        net.train()
        start, total, right, seen = time.time(), 0.0, 0, 0
        for points, target in loader:
            points, target = points.transpose(2, 1).cuda(), target.cuda()
            output = net(points)
            loss = nn.functional.cross_entropy(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            right += (output.argmax(1) == target).sum().item()
            seen += target.numel()
        schedule.step()
        print("epoch %d/%d: loss %.4f, accuracy %.4f, %.1f s" % (
            epoch, args.nepoch, total / len(loader), right / seen,
            time.time() - start), flush=True)
        torch.save(net.state_dict(), "%s/%d.pth" % (args.log_dir, epoch))


if __name__ == "__main__":
    main()
