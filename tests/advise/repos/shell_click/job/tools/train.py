# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings by click, data by TensorFlow."""
import click
import tensorflow as tf


@click.command()
@click.option("--batch-size", default=32, help="of a process")
@click.option("--model", "model", default="resnet50")
@click.option("--max-epochs", default=350, type=int)
@click.option("--learning-rate", default=0.016)
@click.option("--mixed-precision/--full-precision", default=True)
def main(batch_size, model, max_epochs, learning_rate, mixed_precision):
    data = tf.data.TFRecordDataset("imagenet/train.tfrecord")
    return data
