# SPDX-License-Identifier: GPL-3.0-or-later
"""Classification on ModelNet40, for the lecture."""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="modelnet40")
parser.add_argument("--batch_size", type=int, default=24)
parser.add_argument("--model", default="dgcnn")

if __name__ == "__main__":
    print(parser.parse_args())
