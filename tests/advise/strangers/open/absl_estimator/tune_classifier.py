# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentence classification with a trained encoder."""
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("task_name", "cola", "Name of the task.")
flags.DEFINE_integer("train_batch_size", 16, "Batch size for training.")
flags.DEFINE_float("num_train_epochs", 3.0, "Epochs.")
flags.DEFINE_float("learning_rate", 2e-5, "Peak learning rate.")


def main(_):
    tf.logging.info("classifying %s", FLAGS.task_name)


if __name__ == "__main__":
    tf.app.run()
