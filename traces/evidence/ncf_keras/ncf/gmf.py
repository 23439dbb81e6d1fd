# SPDX-License-Identifier: GPL-3.0-or-later
"""Generalised matrix factorisation alone."""
from tensorflow import keras


def GMF(users, items, factors=32):
    user, item = keras.Input((1,)), keras.Input((1,))
    a = keras.layers.Embedding(users + 1, factors)(user)
    b = keras.layers.Embedding(items + 1, factors)(item)
    x = keras.layers.Flatten()(keras.layers.Multiply()([a, b]))
    return keras.Model([user, item], keras.layers.Dense(1)(x))
