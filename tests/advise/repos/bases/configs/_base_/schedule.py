# SPDX-License-Identifier: GPL-3.0-or-later
train_cfg = dict(max_epochs=12)
optim_wrapper = dict(optimizer=dict(type='SGD', lr=0.02))
