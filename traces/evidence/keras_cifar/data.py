# SPDX-License-Identifier: GPL-3.0-or-later
"""CIFAR-10 as tf.data pipelines."""
import tensorflow as tf


def augment(image, label):
    image = tf.image.resize_with_crop_or_pad(image, 40, 40)
    image = tf.image.random_crop(image, [32, 32, 3])
    return tf.image.random_flip_left_right(image), label


def load(batch_size, size):
    (x, y), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
    auto = tf.data.AUTOTUNE

    def resize(image, label):
        return tf.image.resize(tf.cast(image, tf.float32), [size, size]), label

    train = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(50000)
    train = train.map(augment, auto).map(resize, auto).batch(batch_size)
    test = tf.data.Dataset.from_tensor_slices((x_test, y_test))
    test = test.map(resize, auto).batch(batch_size)
    return train.prefetch(auto), test.prefetch(auto)
