# SPDX-License-Identifier: GPL-3.0-or-later
out_dir = 'out-shakespeare-char'
dataset = 'shakespeare_char'
gradient_accumulation_steps = 1
batch_size = 64
block_size = 256
learning_rate = 1e-3
max_iters = 5_000
