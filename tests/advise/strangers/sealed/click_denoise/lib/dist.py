# SPDX-License-Identifier: GPL-3.0-or-later
import os

import torch


def init():
    os.environ.setdefault("WORLD_SIZE", "1")
    backend = "gloo" if os.name == "nt" else "nccl"
    torch.distributed.init_process_group(backend=backend, init_method="env://")
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))


def world():
    return torch.distributed.get_world_size()


def rank():
    return torch.distributed.get_rank()


def print0(*args):
    if rank() == 0:
        print(*args)
