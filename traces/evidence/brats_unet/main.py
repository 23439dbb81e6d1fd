# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the U-Net that a JSON file describes."""
import argparse
import json
import os
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from unet.data import BratsSlices
from unet.model import UNet2D


def dice(output, target, classes):
    guess, scores = output.argmax(1), []
    for c in range(1, classes):
        a, b = guess == c, target == c
        both = (a & b).sum().item()
        total = a.sum().item() + b.sum().item()
        scores.append(2 * both / total if total else 1.0)
    return sum(scores) / len(scores)


def run_epoch(net, loader, config, optimizer=None, scaler=None):
    losses, scores = 0.0, 0.0
    net.train(optimizer is not None)
    for images, masks in loader:
        images, masks = images.cuda(), masks.cuda()
        with torch.autocast("cuda", enabled=config["train"]["amp"]):
            output = net(images)
            loss = nn.functional.cross_entropy(output, masks)
        if optimizer:
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        losses += loss.item()
        scores += dice(output, masks, config["model"]["classes"])
    return losses / len(loader), scores / len(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/brats_b16.json")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tag", default="unet")
    args = parser.parse_args()
    with open(args.config, encoding="utf-8") as file:
        config = json.load(file)
    torch.manual_seed(args.seed)
    shape, data, train = config["model"], config["dataset"], config["train"]
    net = UNet2D(len(data["modalities"]), shape["classes"], shape["channels"],
                 shape["depth"]).cuda()
    if torch.cuda.device_count() > 1:
        net = nn.DataParallel(net)
    sets = [BratsSlices(data["root"], part, data["modalities"])
            for part in ("train", "val")]
    loaders = [DataLoader(s, train["batch_size"] * torch.cuda.device_count(),
                          shuffle=s is sets[0],
                          num_workers=config["workers"]) for s in sets]
    optimizer = torch.optim.Adam(net.parameters(), lr=train["lr"])
    scaler = torch.cuda.amp.GradScaler(enabled=train["amp"])
    best, since = 0.0, 0
    for epoch in range(1, train["epochs"] + 1):
        start = time.time()
        loss, _ = run_epoch(net, loaders[0], config, optimizer, scaler)
        with torch.no_grad():
            val, score = run_epoch(net, loaders[1], config)
        print("epoch %d/%d: train loss %.4f, val loss %.4f, dice %.4f, %.0f s"
              % (epoch, train["epochs"], loss, val, score,
                 time.time() - start), flush=True)
        since = 0 if score > best else since + 1
        if score > best:
            best = score
            torch.save(net.state_dict(), os.path.join("out", args.tag + ".pt"))
        if since >= train["patience"]:
            print("no progress for %d epochs, stopping" % since)
            break


if __name__ == "__main__":
    main()
