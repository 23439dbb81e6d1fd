# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenCLIP 2: options of its training and their defaults."""
import argparse

from schedsim import job

parser = argparse.ArgumentParser()
parser.add_argument("--train-data", default=None)
parser.add_argument("--dataset-type", default="auto")
parser.add_argument("--model", default="RN50")
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=32)
parser.add_argument("--lr", type=float, default=None)
parser.add_argument("--accum-freq", type=int, default=1)
parser.add_argument("--precision", default="amp")
parser.add_argument("--opt", default="adamw")
args, rest = parser.parse_known_args()
job(framework="PyTorch + OpenCLIP", task_type="image-text pre-training",
    model_name=args.model, batch_size=args.batch_size, epochs=args.epochs,
    precision=args.precision, optimizer=args.opt)
if args.lr is None:
    job(learning_rate=5e-4)
else:
    job(learning_rate=args.lr)
if args.accum_freq > 1:
    job(gradient_accumulation=args.accum_freq)
