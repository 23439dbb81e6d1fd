# SPDX-License-Identifier: GPL-3.0-or-later
import paddle


def build_optimizer(config, parameters):
    config = dict(config)
    lr = dict(config.pop("lr"))
    schedule = getattr(paddle.optimizer.lr, lr.pop("name") + "AnnealingDecay")
    cls = getattr(paddle.optimizer, config.pop("name"))
    return cls(learning_rate=schedule(**lr, T_max=200), parameters=parameters,
               momentum=config.get("momentum", 0.9))
