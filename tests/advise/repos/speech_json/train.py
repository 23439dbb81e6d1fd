# SPDX-License-Identifier: GPL-3.0-or-later
"""Speech; every setting stands in a file named by -c."""
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP

import utils
from models import Synthesizer


def run(rank, hps):
    dist.init_process_group(backend='nccl', rank=rank)
    net_g = Synthesizer(
        hps.data.filter_length // 2 + 1,
        **hps.model).cuda(rank)
    optim_g = torch.optim.AdamW(net_g.parameters(), hps.train.learning_rate)
    net_g = DDP(net_g, device_ids=[rank])
    for epoch in range(1, hps.train.epochs + 1):
        utils.step(epoch, optim_g)


def main():
    hps = utils.get_hparams()
    mp.spawn(run, nprocs=torch.cuda.device_count(), args=(hps,))


if __name__ == "__main__":
    main()
