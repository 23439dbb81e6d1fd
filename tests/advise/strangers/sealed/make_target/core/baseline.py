# SPDX-License-Identifier: GPL-3.0-or-later
"""Bag of words with scikit-learn."""
import argparse

from sklearn.linear_model import SGDClassifier

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=128)
parser.add_argument("--epochs", type=int, default=20)
args = parser.parse_args()
model = SGDClassifier(max_iter=args.epochs, alpha=1e-4)
