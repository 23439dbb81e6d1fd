# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a translation model."""
import argparse
import json
import logging
import os
import time

import numpy
import torch
from torch import nn

from translate.model import ARCHITECTURES, TransformerModel

logging.basicConfig(
    format="%(asctime)s | %(levelname)s | %(name)s | %(message)s",
    level=logging.INFO)
logger = logging.getLogger("train")


def get_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", help="folder that preprocess made")
    parser.add_argument("--arch", default="transformer_small",
                        choices=ARCHITECTURES)
    parser.add_argument("-s", "--source-lang", default="de")
    parser.add_argument("-t", "--target-lang", default="en")
    parser.add_argument("--batch-size", "--max-sentences", type=int,
                        default=64)
    parser.add_argument("--max-epoch", type=int, default=50)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--warmup-updates", type=int, default=4000)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--label-smoothing", type=float, default=0.1)
    parser.add_argument("--log-interval", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save-dir", default="checkpoints")
    return parser


def read(args, part):
    sides = []
    for lang in (args.source_lang, args.target_lang):
        path = os.path.join(args.data, "%s.%s.npz" % (part, lang))
        with numpy.load(path) as rows:
            sides.append([torch.from_numpy(rows[k]) for k in rows])
    return list(zip(*sides))


def batches(pairs, size, seed):
    order = torch.randperm(len(pairs),
                           generator=torch.Generator().manual_seed(seed))
    for at in range(0, len(pairs) - size + 1, size):
        rows = [pairs[i] for i in order[at:at + size]]
        yield [nn.utils.rnn.pad_sequence([row[side] for row in rows], True)
               .cuda() for side in (0, 1)]


def main():
    args = get_parser().parse_args()
    logger.info(args)
    torch.manual_seed(args.seed)
    sizes = []
    for lang in (args.source_lang, args.target_lang):
        path = os.path.join(args.data, lang + ".json")
        with open(path, encoding="utf-8") as file:
            sizes.append(len(json.load(file)) + 4)
    model = TransformerModel(args.arch, *sizes, args.dropout).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr,
                                 betas=(0.9, 0.98))
    criterion = nn.CrossEntropyLoss(label_smoothing=args.label_smoothing,
                                    ignore_index=0)
    pairs, updates = read(args, "train"), 0
    count = len(pairs) // args.batch_size
    for epoch in range(1, args.max_epoch + 1):
        start, words = time.time(), 0
        for i, (source, target) in enumerate(batches(
                pairs, args.batch_size, args.seed + epoch)):
            rate = min((updates + 1) / args.warmup_updates, 1.0)
            for group in optimizer.param_groups:
                group["lr"] = args.lr * rate
            output = model(source, target[:, :-1])
            loss = criterion(output.flatten(0, 1), target[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            updates, words = updates + 1, words + target.numel()
            if updates % args.log_interval == 0:
                wall = time.time() - start
                logger.info(
                    "epoch %03d: %6d / %d loss=%.3f, ppl=%.2f, wps=%.1f, "
                    "ups=%.2f, num_updates=%d, lr=%.6g", epoch, i + 1, count,
                    loss.item() / 0.6931, 2 ** (loss.item() / 0.6931),
                    words / wall, args.log_interval / wall, updates,
                    args.lr * rate)
                start, words = time.time(), 0
        torch.save(model.state_dict(),
                   os.path.join(args.save_dir, "checkpoint%d.pt" % epoch))
    logger.info("done training")


if __name__ == "__main__":
    main()
