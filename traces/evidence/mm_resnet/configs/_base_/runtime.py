# SPDX-License-Identifier: GPL-3.0-or-later
default_hooks = dict(
    logger=dict(type='LoggerHook', interval=100),
    checkpoint=dict(type='CheckpointHook', interval=10))
env_cfg = dict(cudnn_benchmark=True, dist_cfg=dict(backend='nccl'))
log_level = 'INFO'
randomness = dict(seed=None)
