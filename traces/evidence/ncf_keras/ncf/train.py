# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a recommender by an INI file and options that override it."""
import argparse
import configparser

import tensorflow as tf
from tensorflow import keras

from ncf.models import NeuMF
from ncf.movielens import ratings, with_negatives


def settings():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="ncf.ini")
    parser.add_argument("--batch_size", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--learning_rate", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="neumf.keras")
    args = parser.parse_args()
    config = configparser.ConfigParser()
    config.read(args.config)
    train = config["train"]
    args.batch_size = args.batch_size or train.getint("batch_size")
    args.epochs = args.epochs or train.getint("epochs")
    args.learning_rate = args.learning_rate or train.getfloat("learning_rate")
    return args, config


class HitRate(keras.callbacks.Callback):
    """Prints how many positives score above one half."""

    def __init__(self, inputs, labels):
        super().__init__()
        self.inputs, self.labels = inputs, labels

    def on_epoch_end(self, epoch, logs=None):
        guess = self.model.predict(self.inputs, verbose=0)[:, 0] > 0.5
        hits = guess[self.labels > 0].mean()
        print("\nepoch %d: hit rate %.4f" % (epoch + 1, hits))


def main():
    args, config = settings()
    tf.keras.utils.set_random_seed(args.seed)
    pairs = ratings(config["data"]["path"])
    users, items = pairs[:, 0].max(), pairs[:, 1].max()
    widths = [int(w) for w in config["model"]["layers"].split(",")]
    model = NeuMF(users, items, config["model"].getint("factors"), widths)
    model.compile(keras.optimizers.Adam(args.learning_rate),
                  "binary_crossentropy", metrics=["accuracy"])
    model.summary()
    inputs, labels = with_negatives(
        pairs, items, config["data"].getint("negatives"), args.seed)
    model.fit(inputs, labels, batch_size=args.batch_size, epochs=args.epochs,
              shuffle=True, verbose=1,
              callbacks=[HitRate([x[:5000] for x in inputs], labels[:5000])])
    model.save(args.out)


if __name__ == "__main__":
    main()
