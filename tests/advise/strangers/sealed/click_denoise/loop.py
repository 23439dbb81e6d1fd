# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from lib import dist
from lib.easy import construct


def training_loop(run_dir=".", dataset=None, network=None, optimizer=None, batch_size=512,
                  batch_gpu=None, total_kimg=200000, kimg_per_tick=50, seed=0):
    torch.manual_seed(seed * dist.world() + dist.rank())
    batch_gpu_total = batch_size // dist.world()
    if batch_gpu is None or batch_gpu > batch_gpu_total:
        batch_gpu = batch_gpu_total
    rounds = batch_gpu_total // batch_gpu
    data = construct(**dataset)
    loader = iter(torch.utils.data.DataLoader(data, batch_size=batch_gpu))
    net = construct(**network, img_resolution=data.resolution).cuda()
    opt = construct(params=net.parameters(), **optimizer)
    ddp = torch.nn.parallel.DistributedDataParallel(net, device_ids=[torch.device("cuda")])
    nimg = 0
    while nimg < total_kimg * 1000:
        opt.zero_grad(set_to_none=True)
        for _ in range(rounds):
            images, labels = next(loader)
            sigma = (torch.randn([images.shape[0], 1, 1, 1]) * 1.2 - 1.2).exp()
            loss = (ddp(images + sigma, sigma, labels) - images) ** 2
            loss.sum().mul(1 / batch_gpu_total).backward()
        opt.step()
        nimg += batch_size
