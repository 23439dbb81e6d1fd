# SPDX-License-Identifier: GPL-3.0-or-later
"""A bidirectional encoder of word pieces."""
import json

import tensorflow as tf


class EncoderConfig:
    def __init__(self, vocab_size, hidden_size=768, num_hidden_layers=12,
                 num_attention_heads=12, max_position_embeddings=512, **_):
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.max_position_embeddings = max_position_embeddings

    @classmethod
    def from_json(cls, path):
        with tf.gfile.GFile(path) as f:
            return cls(**json.load(f))


class BertEncoder:
    """Embeddings, then a stack of self-attention blocks."""

    def __init__(self, config, training, ids, mask, dtype):
        with tf.variable_scope("bert"):
            self.table = tf.get_variable("words", [config.vocab_size, config.hidden_size])
            x = tf.cast(tf.nn.embedding_lookup(self.table, ids), dtype)
            for n in range(config.num_hidden_layers):
                with tf.variable_scope("layer_%d" % n):
                    x = attention_block(x, mask, config, training)
            self.output = tf.cast(x, tf.float32)


def attention_block(x, mask, config, training):
    heads = config.num_attention_heads
    q = tf.layers.dense(x, config.hidden_size)
    k = tf.layers.dense(x, config.hidden_size)
    score = tf.matmul(q, k, transpose_b=True) / heads
    x = x + tf.matmul(tf.nn.softmax(score), x)
    if training:
        x = tf.nn.dropout(x, keep_prob=0.9)
    return tf.contrib.layers.layer_norm(x)


def masked_word_loss(config, net, features):
    logits = tf.matmul(net.output, net.table, transpose_b=True)
    labels = tf.one_hot(features["input_ids"], config.vocab_size)
    return tf.losses.softmax_cross_entropy(labels, logits)
