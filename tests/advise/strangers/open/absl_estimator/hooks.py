# SPDX-License-Identifier: GPL-3.0-or-later
import time

import tensorflow as tf


class ThroughputHook(tf.train.SessionRunHook):
    def __init__(self, batch_size, every=10):
        self.batch_size = batch_size
        self.every = every

    def before_run(self, run_context):
        self.start = time.time()

    def after_run(self, run_context, run_values):
        print("%.1f samples/sec" % (self.batch_size / (time.time() - self.start)))
