# SPDX-License-Identifier: GPL-3.0-or-later
import tensorflow_datasets as tfds


def create_split(name, batch_size, train):
    ds = tfds.load(name, split="train" if train else "validation")
    return ds.batch(batch_size)
