# SPDX-License-Identifier: GPL-3.0-or-later
"""MACE 0.3: options of mace_run_train and their defaults."""
import argparse

from schedsim import job

parser = argparse.ArgumentParser()
parser.add_argument("--name", default=None)
parser.add_argument("--config", default=None)
parser.add_argument("--model", default="MACE")
parser.add_argument("--train_file", default=None)
parser.add_argument("--batch_size", type=int, default=10)
parser.add_argument("--max_num_epochs", type=int, default=2048)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--optimizer", default="adam")
parser.add_argument("--default_dtype", default="float64")
args, rest = parser.parse_known_args()
if args.config is None:
    job(framework="PyTorch + MACE", model_name=args.model, model_type="GNN",
        task_type="interatomic potential (energy and forces)",
        batch_size=args.batch_size, epochs=args.max_num_epochs,
        learning_rate=args.lr, optimizer=args.optimizer,
        precision=args.default_dtype)
    if args.train_file is not None:
        job(dataset_name=args.train_file)
else:
    job(framework="PyTorch + MACE", model_name=args.model, model_type="GNN",
        task_type="interatomic potential (energy and forces)")
