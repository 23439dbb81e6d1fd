# SPDX-License-Identifier: GPL-3.0-or-later
import argparse

from ranklab.quick import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    # parser.add_argument("--model", "-m", type=str, default="GRU4Rec", help="name of the model")
    parser.add_argument("--model", "-m", type=str, default="BPR", help="name of the model")
    parser.add_argument("--dataset", "-d", type=str, default="ml-100k", help="name of the data")
    parser.add_argument("--config_files", type=str, default=None, help="files, blank between")
    args, _ = parser.parse_known_args()

    files = args.config_files.strip().split(" ") if args.config_files else None
    run(model=args.model, dataset=args.dataset, config_file_list=files)
