# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimizers with a decoupled weight decay."""
import re

import tensorflow as tf


def create_train_op(loss, init_lr, steps, warmup, hvd=None, use_fp16=False):
    step = tf.train.get_or_create_global_step()
    lr = tf.train.polynomial_decay(init_lr, step, steps, end_learning_rate=0.0)
    ratio = tf.minimum(1.0, tf.cast(step, tf.float32) / float(warmup))
    opt = AdamWeightDecayOptimizer(lr * ratio, weight_decay_rate=0.01,
                                   exclude=["LayerNorm", "bias"])
    if hvd is not None:
        opt = hvd.DistributedOptimizer(opt, sparse_as_dense=True)
    if use_fp16:
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
    variables = tf.trainable_variables()
    grads, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), clip_norm=1.0)
    return opt.apply_gradients(zip(grads, variables), global_step=step)


class LAMBOptimizer(tf.train.Optimizer):
    """Layer-wise rates for very large batches (see the large-batch branch)."""

    def __init__(self, learning_rate=2e-3, name="LAMB"):
        super().__init__(False, name)
        self.learning_rate = learning_rate


class AdamWeightDecayOptimizer(tf.train.Optimizer):
    def __init__(self, learning_rate, weight_decay_rate=0.0, beta_1=0.9, beta_2=0.999,
                 exclude=None, name="AdamWeightDecay"):
        super().__init__(False, name)
        self.learning_rate = learning_rate
        self.decay = weight_decay_rate
        self.betas = (beta_1, beta_2)
        self.exclude = exclude or []

    def _decays(self, name):
        return not any(re.search(r, name) for r in self.exclude)
