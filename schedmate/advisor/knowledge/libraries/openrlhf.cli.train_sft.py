# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenRLHF 0.5 to 0.8: options of its supervised training."""
import argparse

from schedsim import job

parser = argparse.ArgumentParser()
parser.add_argument("--pretrain", default=None)
parser.add_argument("--dataset", default=None)
parser.add_argument("--micro_train_batch_size", type=int, default=8)
parser.add_argument("--train_batch_size", type=int, default=128)
parser.add_argument("--max_len", type=int, default=2048)
parser.add_argument("--max_epochs", type=int, default=2)
parser.add_argument("--learning_rate", type=float, default=5e-6)
parser.add_argument("--zero_stage", type=int, default=2)
parser.add_argument("--bf16", action="store_true")
args, rest = parser.parse_known_args()
job(framework="PyTorch + DeepSpeed + OpenRLHF", model_type="Transformer",
    task_type="instruction tuning", model_name=args.pretrain,
    batch_size=args.micro_train_batch_size, epochs=args.max_epochs,
    learning_rate=args.learning_rate, sequence_length=args.max_len,
    optimizer="Adam", distributed="DeepSpeed ZeRO-" + str(args.zero_stage))
if args.bf16:
    job(precision="bf16")
if args.dataset is not None:
    job(dataset_name=args.dataset)
