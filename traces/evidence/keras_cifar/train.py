# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a classifier of small images with Keras."""
import argparse
import os

import tensorflow as tf
from tensorflow import keras

from data import load

MODELS = {
    "efficientnetb0": keras.applications.EfficientNetB0,
    "densenet121": keras.applications.DenseNet121,
}


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="efficientnetb0", choices=MODELS)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--image_size", type=int, default=32)
    parser.add_argument("--mixed_precision", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run_name", default="cifar")
    return parser.parse_args()


def build(args):
    base = MODELS[args.model](include_top=False, weights=None, pooling="avg",
                              input_shape=(args.image_size,
                                           args.image_size, 3))
    x = keras.layers.Dropout(args.dropout)(base.output)
    out = keras.layers.Dense(10, activation="softmax", dtype="float32")(x)
    return keras.Model(base.input, out)


def schedule(args):
    def rate(epoch, _):
        if epoch < 5:
            return args.lr * (epoch + 1) / 5
        return args.lr * 0.5 ** (epoch // 20)
    return keras.callbacks.LearningRateScheduler(rate)


def main():
    args = parse()
    keras.utils.set_random_seed(args.seed)
    if args.mixed_precision:
        keras.mixed_precision.set_global_policy("mixed_float16")
    strategy = tf.distribute.MirroredStrategy()
    print("devices:", strategy.num_replicas_in_sync)
    size = args.batch_size * strategy.num_replicas_in_sync
    train, test = load(size, args.image_size)
    with strategy.scope():
        model = build(args)
        model.compile(optimizer=keras.optimizers.Adam(args.lr),
                      loss="sparse_categorical_crossentropy",
                      metrics=["accuracy"])
    folder = os.path.join("runs", args.run_name)
    model.fit(train, validation_data=test, epochs=args.epochs, verbose=1,
              callbacks=[schedule(args),
                         keras.callbacks.CSVLogger(folder + ".csv"),
                         keras.callbacks.EarlyStopping(
                             monitor="val_accuracy", patience=15)])
    model.save(folder + ".keras")


if __name__ == "__main__":
    main()
