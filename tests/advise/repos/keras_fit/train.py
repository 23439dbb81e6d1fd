# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import os

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

BATCH = int(os.environ.get("BATCH", 64))


def get_model(kind):
    if kind == "small":
        model = keras.Sequential([layers.Conv2D(32, 3, activation="relu"), layers.Flatten(), layers.Dense(10)])
    else:
        model = keras.applications.ResNet50(weights=None, classes=10)
    return model


def pick_optimizer(name, lr):
    table = {"adam": keras.optimizers.Adam, "rmsprop": keras.optimizers.RMSprop}
    return table[name](learning_rate=lr)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=100)
    p.add_argument("--opt", choices=["adam", "rmsprop"], default="rmsprop")
    p.add_argument("--kind", default="small")
    a = p.parse_args()
    (x, y), (xt, yt) = keras.datasets.cifar10.load_data()
    net = get_model(a.kind)
    net.compile(optimizer=pick_optimizer(a.opt, 5e-4), loss="sparse_categorical_crossentropy")
    net.fit(x, y, epochs=a.epochs, batch_size=BATCH, validation_data=(xt, yt))
    net.evaluate(xt, yt, batch_size=256)


main()
