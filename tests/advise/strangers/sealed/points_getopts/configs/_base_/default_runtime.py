# SPDX-License-Identifier: GPL-3.0-or-later
weight = None
resume = False
evaluate = True
test_only = False
seed = None
save_path = "exp/default"
num_worker = 16
batch_size = 16  # of all GPUs
batch_size_val = None
batch_size_test = None
epoch = 100
eval_epoch = 100
sync_bn = False
enable_amp = False
empty_cache = False
train = dict(type="DefaultTrainer")
test = dict(type="SemSegTester", verbose=True)
