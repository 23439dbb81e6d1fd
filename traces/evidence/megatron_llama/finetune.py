# SPDX-License-Identifier: GPL-3.0-or-later
"""Continues training of a language model, tensor and data parallel."""
import math
import time

import numpy
import torch
import torch.distributed as dist
from torch.nn import functional as F

from pretrain.arguments import parse_args
from pretrain.model import Llama


def batches(args, rank):
    tokens = numpy.memmap(args.data_path + ".bin", dtype=numpy.uint32)
    random = numpy.random.default_rng(args.seed + rank)
    while True:
        at = random.integers(0, len(tokens) - args.seq_length - 1,
                             args.micro_batch_size)
        rows = numpy.stack([tokens[i:i + args.seq_length + 1] for i in at])
        yield torch.from_numpy(rows.astype(numpy.int64)).cuda()


def learning_rate(args, iteration):
    share = iteration / args.train_iters
    wave = 0.5 * (1 + math.cos(math.pi * share))
    return args.min_lr + (args.lr - args.min_lr) * wave


def report(args, iteration, elapsed, loss, lr):
    size = args.micro_batch_size * dist.get_world_size()
    size //= args.tensor_model_parallel_size
    print(" iteration %8d/%8d | consumed samples: %12d | elapsed time per "
          "iteration (ms): %.1f | learning rate: %.3E | global batch size: "
          "%5d | lm loss: %.6E |" % (iteration, args.train_iters,
                                     iteration * size, elapsed * 1000, lr,
                                     size, loss), flush=True)


def main():
    args = parse_args()
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank % torch.cuda.device_count())
    torch.manual_seed(args.seed)
    model = Llama(args, 128256, args.tensor_model_parallel_size).cuda()
    if args.bf16:
        model = model.bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr,
                                  weight_decay=args.weight_decay)
    source, start, losses = batches(args, rank), time.time(), []
    for iteration in range(1, args.train_iters + 1):
        rows = next(source)
        lr = learning_rate(args, iteration)
        for group in optimizer.param_groups:
            group["lr"] = lr
        logits = model(rows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1).float(),
                               rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad)
        optimizer.step()
        losses.append(loss.item())
        if iteration % args.log_interval == 0 and rank == 0:
            elapsed = (time.time() - start) / args.log_interval
            report(args, iteration, elapsed, sum(losses) / len(losses), lr)
            start, losses = time.time(), []
        if args.save_interval and iteration % args.save_interval == 0:
            torch.save(model.state_dict(), "%s/%d-%d.pt" % (args.save,
                                                            iteration, rank))


if __name__ == "__main__":
    main()
