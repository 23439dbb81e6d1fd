# SPDX-License-Identifier: GPL-3.0-or-later
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="hrnet")
parser.add_argument("--batch-size", "--samples-per-device", type=int, default=2)
parser.add_argument("--lr", "--learning-rate-of-the-first-epoch", default=0.01)
parser.add_argument("--data")
print(torch, parser.parse_args())
