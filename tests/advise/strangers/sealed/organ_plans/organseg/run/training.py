# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import importlib
import json
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from organseg.paths import preprocessed
from organseg.naming import dataset_name


def find_free_port():
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def get_trainer(name):
    for module in ("base", "longer", "losses"):
        found = importlib.import_module(f"organseg.trainers.{module}")
        if hasattr(found, name):
            return getattr(found, name)
    raise RuntimeError(f"no trainer {name}")


def make(dataset, configuration, fold, trainer, plans, device):
    name = dataset_name(dataset)
    with open(os.path.join(preprocessed, name, plans + ".json")) as f:
        spec = json.load(f)
    return get_trainer(trainer)(plans=spec, configuration=configuration, fold=fold, device=device)


def run_ddp(rank, dataset, configuration, fold, trainer, plans, world):
    dist.init_process_group("nccl", rank=rank, world_size=world)
    torch.cuda.set_device(rank)
    make(dataset, configuration, fold, trainer, plans, torch.device("cuda", rank)).run_training()


def run_training(dataset, configuration, fold, trainer="OrganTrainer", plans="OrganPlans",
                 num_gpus=1, device="cuda"):
    if num_gpus > 1:
        os.environ["MASTER_ADDR"] = "localhost"
        os.environ["MASTER_PORT"] = str(find_free_port())
        mp.spawn(run_ddp, args=(dataset, configuration, fold, trainer, plans, num_gpus),
                 nprocs=num_gpus, join=True)
    else:
        make(dataset, configuration, fold, trainer, plans, torch.device(device)).run_training()


def train_entry():
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset", type=str, help="name or number of the data")
    parser.add_argument("configuration", type=str, help="2d, 3d_lowres or 3d_fullres")
    parser.add_argument("fold", type=str, help="0 to 4, or all")
    parser.add_argument("-tr", type=str, required=False, default="OrganTrainer",
                        help="[OPTIONAL] class of the trainer")
    parser.add_argument("-p", type=str, required=False, default="OrganPlans",
                        help="[OPTIONAL] name of the plans")
    parser.add_argument("-num_gpus", type=int, default=1, required=False)
    parser.add_argument("--npz", action="store_true", required=False)
    parser.add_argument("--c", action="store_true", required=False, help="continue")
    parser.add_argument("-device", type=str, default="cuda", required=False)
    args = parser.parse_args()
    run_training(args.dataset, args.configuration, args.fold, args.tr, args.p, args.num_gpus,
                 args.device)


if __name__ == "__main__":
    train_entry()
