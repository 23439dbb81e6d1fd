# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains an image classifier on one or several GPUs."""
import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import models
from data import loaders

parser = argparse.ArgumentParser(description="image classification")
parser.add_argument("--data", metavar="DIR", default="/data/imagenet",
                    help="folder with train and val of ImageNet")
parser.add_argument("-a", "--arch", default="resnet50", choices=models.NAMES)
parser.add_argument("-j", "--workers", default=8, type=int)
parser.add_argument("--epochs", default=90, type=int)
parser.add_argument("-b", "--batch-size", default=128, type=int,
                    help="images per GPU and step")
parser.add_argument("--lr", "--learning-rate", default=0.1, type=float)
parser.add_argument("--momentum", default=0.9, type=float)
parser.add_argument("--wd", "--weight-decay", default=1e-4, type=float)
parser.add_argument("-p", "--print-freq", default=100, type=int)
parser.add_argument("--amp", action="store_true")
parser.add_argument("--seed", default=0, type=int)
parser.add_argument("--name", default="run", help="folder of checkpoints")
parser.add_argument("--resume", default="", metavar="PATH")


class Meter:
    def __init__(self, name, form):
        self.name, self.form, self.sum, self.count = name, form, 0.0, 0
        self.value = 0.0

    def add(self, value, n=1):
        self.value = value
        self.sum, self.count = self.sum + value * n, self.count + n

    def __str__(self):
        form = "%s " + self.form + " (" + self.form + ")"
        return form % (self.name, self.value, self.sum / max(self.count, 1))


def accuracy(output, target):
    return (output.argmax(1) == target).float().mean().item() * 100


def train(args, loader, model, optimizer, scaler, epoch):
    meters = [Meter("Time", "%6.3f"), Meter("Data", "%6.3f"),
              Meter("Loss", "%.4e"), Meter("Acc@1", "%6.2f")]
    model.train()
    end = time.time()
    for i, (images, target) in enumerate(loader):
        meters[1].add(time.time() - end)
        images, target = images.cuda(), target.cuda()
        with torch.autocast("cuda", enabled=args.amp):
            output = model(images)
            loss = nn.functional.cross_entropy(output, target)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        meters[2].add(loss.item(), len(images))
        meters[3].add(accuracy(output, target), len(images))
        meters[0].add(time.time() - end)
        end = time.time()
        if i % args.print_freq == 0:
            print("Epoch: [%d][%5d/%d]\t%s" % (
                epoch, i, len(loader), "\t".join(map(str, meters))))


@torch.no_grad()
def validate(loader, model):
    top1 = Meter("Acc@1", "%6.2f")
    model.eval()
    for images, target in loader:
        output = model(images.cuda())
        top1.add(accuracy(output, target.cuda()), len(images))
    print(" * " + str(top1))
    return top1.sum / max(top1.count, 1)


def main():
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    distributed = int(os.environ.get("WORLD_SIZE", 1)) > 1
    if distributed:
        dist.init_process_group("nccl")
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    print("=> creating model '%s'" % args.arch)
    model = models.create(args.arch, 1000).cuda()
    if distributed:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), args.lr,
                                momentum=args.momentum, weight_decay=args.wd)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    scaler = torch.cuda.amp.GradScaler(enabled=args.amp)
    start, best = 0, 0.0
    if args.resume:
        state = torch.load(args.resume)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    train_loader, val_loader = loaders(args)
    for epoch in range(start, args.epochs):
        if distributed:
            train_loader.sampler.set_epoch(epoch)
        train(args, train_loader, model, optimizer, scaler, epoch)
        best = max(best, validate(val_loader, model))
        schedule.step()
        torch.save({"model": model.state_dict(), "epoch": epoch + 1,
                    "optimizer": optimizer.state_dict()},
                   os.path.join("runs", args.name + ".pth"))
    print("best accuracy: %.2f" % best)


if __name__ == "__main__":
    main()
