# SPDX-License-Identifier: GPL-3.0-or-later
from yacs.config import CfgNode as CN

_C = CN()
_C.MODEL = CN()
_C.MODEL.META_ARCHITECTURE = "GeneralizedRCNN"
_C.MODEL.DEVICE = "cuda"
_C.DATASETS = CN()
_C.DATASETS.TRAIN = ()
_C.DATASETS.TEST = ()
_C.SOLVER = CN()
_C.SOLVER.BASE_LR = 0.001
_C.SOLVER.MOMENTUM = 0.9
_C.SOLVER.MAX_ITER = 40000
_C.SOLVER.IMS_PER_BATCH = 16
_C.TEST = CN()
_C.TEST.IMS_PER_BATCH = 8


def get_cfg():
    return _C.clone()
