# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a small network on CIFAR-10."""
import argparse
import time

import torch
from torch import nn, optim
from torchvision import datasets, transforms

from models import BY_NAME


def parse():
    parser = argparse.ArgumentParser(description="CIFAR-10 training")
    parser.add_argument("--model", default="resnet18", choices=sorted(BY_NAME))
    parser.add_argument("--lr", default=0.1, type=float)
    parser.add_argument("--batch-size", default=128, type=int)
    parser.add_argument("--epochs", default=200, type=int)
    parser.add_argument("--optimizer", default="sgd", choices=["sgd", "adam"])
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args()


def loaders(args):
    norm = transforms.Normalize((0.4914, 0.4822, 0.4465),
                                (0.2023, 0.1994, 0.2010))
    train = transforms.Compose([transforms.RandomCrop(32, padding=4),
                                transforms.RandomHorizontalFlip(),
                                transforms.ToTensor(), norm])
    test = transforms.Compose([transforms.ToTensor(), norm])
    sets = [datasets.CIFAR10("/data", train=True, transform=train),
            datasets.CIFAR10("/data", train=False, transform=test)]
    return [torch.utils.data.DataLoader(s, batch_size=args.batch_size,
                                        shuffle=s.train, num_workers=4)
            for s in sets]


def run(net, loader, optimizer=None):
    loss_sum, right, seen = 0.0, 0, 0
    net.train(optimizer is not None)
    for images, target in loader:
        images, target = images.cuda(), target.cuda()
        output = net(images)
        loss = nn.functional.cross_entropy(output, target)
        if optimizer:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        loss_sum += loss.item() * len(images)
        right += (output.argmax(1) == target).sum().item()
        seen += len(images)
    return loss_sum / seen, 100.0 * right / seen


def main():
    args = parse()
    torch.manual_seed(args.seed)
    print("==> Building model..", args.model)
    net = BY_NAME[args.model]().cuda()
    if torch.cuda.device_count() > 1:
        net = nn.DataParallel(net)
    if args.optimizer == "sgd":
        optimizer = optim.SGD(net.parameters(), args.lr, 0.9,
                              weight_decay=5e-4)
    else:
        optimizer = optim.Adam(net.parameters(), args.lr)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    train_loader, test_loader = loaders(args)
    best = 0.0
    for epoch in range(args.epochs):
        start = time.time()
        loss, accuracy = run(net, train_loader, optimizer)
        with torch.no_grad():
            _, test = run(net, test_loader)
        schedule.step()
        best = max(best, test)
        print("Epoch %d: loss %.3f | train acc %.2f%% | test acc %.2f%% | "
              "%.1fs" % (epoch, loss, accuracy, test, time.time() - start))
    print("best test accuracy %.2f%%" % best)


if __name__ == "__main__":
    main()
