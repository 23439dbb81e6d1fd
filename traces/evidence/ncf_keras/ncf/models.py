# SPDX-License-Identifier: GPL-3.0-or-later
"""The two towers of NeuMF."""
from tensorflow import keras
from tensorflow.keras import layers


def NeuMF(users, items, factors, widths):
    user = keras.Input((1,), dtype="int32", name="user")
    item = keras.Input((1,), dtype="int32", name="item")

    def embed(source, count, width):
        return layers.Flatten()(layers.Embedding(count + 1, width)(source))

    product = layers.Multiply()([embed(user, users, factors),
                                 embed(item, items, factors)])
    x = layers.Concatenate()([embed(user, users, widths[0] // 2),
                              embed(item, items, widths[0] // 2)])
    for width in widths[1:]:
        x = layers.Dense(width, activation="relu")(x)
    x = layers.Concatenate()([product, x])
    out = layers.Dense(1, activation="sigmoid")(x)
    return keras.Model([user, item], out, name="NeuMF")
