# SPDX-License-Identifier: GPL-3.0-or-later
"""Text to masked TFRecords."""
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("text_file", None, "Raw text, a document a paragraph.")
flags.DEFINE_integer("max_seq_length", 128, "Longest input.")
flags.DEFINE_integer("dupe_factor", 10, "Times that the text is masked anew.")
flags.DEFINE_float("masked_lm_prob", 0.15, "Share of masked words.")


def main(_):
    raise SystemExit("see the data notes")


if __name__ == "__main__":
    tf.app.run()
