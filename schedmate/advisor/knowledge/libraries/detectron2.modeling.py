# SPDX-License-Identifier: GPL-3.0-or-later
"""Detectron2 0.6: makes the model that the configuration names."""
from schedsim import job
from fvcore.common.registry import Registry

META_ARCH_REGISTRY = Registry("META_ARCH")


def build_model(cfg):
    job(model_name=cfg.MODEL.META_ARCHITECTURE)
    if cfg.MODEL.META_ARCHITECTURE == "GeneralizedRCNN":
        job(model_type="CNN")
    return META_ARCH_REGISTRY.get(cfg.MODEL.META_ARCHITECTURE)(cfg)
