# SPDX-License-Identifier: GPL-3.0-or-later
from pointlab.models.default import DefaultSegmentor
from pointlab.models.point_transformer import PointTransformerV3
from pointlab.models.sparse_unet import SparseUNet
from pointlab.registry import MODELS


def build_model(cfg):
    return MODELS.build(cfg)
