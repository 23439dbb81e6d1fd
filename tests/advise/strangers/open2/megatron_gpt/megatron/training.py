# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from apex.optimizers import FusedAdam as Adam
from apex.optimizers import FusedSGD as SGD

from . import initialize
from .model import DistributedDataParallel as LocalDDP


def pretrain(datasets_provider, model_provider, forward_step, args_defaults=None):
    args = initialize(args_defaults or {})
    torch.distributed.init_process_group(args.distributed_backend, world_size=args.world_size,
                                         rank=args.rank)
    model = model_provider().cuda()
    if args.fp16:
        model = model.half()
    model = LocalDDP(model)
    optimizer = get_optimizer(model, args)
    train_set, valid_set, _ = datasets_provider(
        [args.train_iters * args.global_batch_size, args.eval_iters * args.global_batch_size, 0])
    iterator = iter(torch.utils.data.DataLoader(train_set, batch_size=args.micro_batch_size,
                                                num_workers=args.num_workers))
    accumulate = args.global_batch_size // (args.micro_batch_size * args.data_parallel_size)
    for iteration in range(args.train_iters):
        for _ in range(accumulate):
            output, loss_func = forward_step(iterator, model)
            loss, report = loss_func(output)
            (loss / accumulate).backward()
        optimizer.step()
        optimizer.zero_grad()
        if iteration % args.log_interval == 0 and args.rank == 0:
            print(f" iteration {iteration:8d}/{args.train_iters:8d} |", report, flush=True)


def get_optimizer(model, args):
    if args.optimizer == "adam":
        return Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay,
                    betas=(args.adam_beta1, args.adam_beta2))
    return SGD(model.parameters(), lr=args.lr, weight_decay=args.weight_decay, momentum=0.9)
