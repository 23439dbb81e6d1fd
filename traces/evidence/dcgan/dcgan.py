# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a DCGAN."""
import argparse
import random
import time

import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms, utils

from nets import Discriminator, Generator, init

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="lsun", help="lsun | cifar10")
parser.add_argument("--dataroot", default="/data/lsun")
parser.add_argument("--classes", default="church_outdoor")
parser.add_argument("--workers", type=int, default=4)
parser.add_argument("--batchSize", type=int, default=64)
parser.add_argument("--imageSize", type=int, default=64)
parser.add_argument("--nz", type=int, default=100)
parser.add_argument("--ngf", type=int, default=64)
parser.add_argument("--ndf", type=int, default=64)
parser.add_argument("--niter", type=int, default=25, help="epochs")
parser.add_argument("--lr", type=float, default=0.0002)
parser.add_argument("--beta1", type=float, default=0.5)
parser.add_argument("--manualSeed", type=int, default=None)
parser.add_argument("--outf", default="samples")


def load(opt):
    transform = transforms.Compose([
        transforms.Resize(opt.imageSize), transforms.CenterCrop(opt.imageSize),
        transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.5,) * 3)])
    if opt.dataset == "lsun":
        classes = [name + "_train" for name in opt.classes.split(",")]
        data = datasets.LSUN(opt.dataroot, classes=classes,
                             transform=transform)
    else:
        data = datasets.CIFAR10(opt.dataroot, transform=transform)
    return DataLoader(data, batch_size=opt.batchSize, shuffle=True,
                      num_workers=opt.workers, drop_last=True)


def step(opt, real, nets, optimizers):
    net_g, net_d = nets
    ones = torch.ones(len(real), device=real.device)
    fake = net_g(torch.randn(len(real), opt.nz, 1, 1, device=real.device))
    loss = nn.BCEWithLogitsLoss()
    loss_d = loss(net_d(real), ones) + loss(net_d(fake.detach()), 0 * ones)
    optimizers[1].zero_grad()
    loss_d.backward()
    optimizers[1].step()
    loss_g = loss(net_d(fake), ones)
    optimizers[0].zero_grad()
    loss_g.backward()
    optimizers[0].step()
    return loss_d.item(), loss_g.item()


def main():
    opt = parser.parse_args()
    seed = opt.manualSeed or random.randint(1, 10000)
    print("Random Seed:", seed)
    torch.manual_seed(seed)
    loader = load(opt)
    nets = [Generator(opt.nz, opt.ngf).cuda(), Discriminator(opt.ndf).cuda()]
    for net in nets:
        net.apply(init)
    optimizers = [optim.Adam(net.parameters(), lr=opt.lr,
                             betas=(opt.beta1, 0.999)) for net in nets]
    fixed = torch.randn(64, opt.nz, 1, 1).cuda()
    for epoch in range(1, opt.niter + 1):
        start, sums = time.time(), [0.0, 0.0]
        for real, _ in loader:
            losses = step(opt, real.cuda(), nets, optimizers)
            sums = [a + b for a, b in zip(sums, losses)]
        print("Epoch %d/%d: Loss_D: %.4f Loss_G: %.4f (%.1f s)" % (
            epoch, opt.niter, sums[0] / len(loader), sums[1] / len(loader),
            time.time() - start))
        utils.save_image(nets[0](fixed), "%s/%03d.png" % (opt.outf, epoch),
                         normalize=True)


if __name__ == "__main__":
    main()
