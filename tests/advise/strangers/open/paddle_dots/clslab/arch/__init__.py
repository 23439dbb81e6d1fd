# SPDX-License-Identifier: GPL-3.0-or-later
from clslab.arch import mobilenet_v3, resnet_vd

_ALL = {}
for module in (mobilenet_v3, resnet_vd):
    _ALL.update({n: getattr(module, n) for n in module.__all__})


def build_model(config):
    config = dict(config)
    return _ALL[config.pop("name")](**config)
