# SPDX-License-Identifier: GPL-3.0-or-later
from detectron2.config import CfgNode as CN


def add_boxflow_cfg(cfg):
    """Keys of this project on top of those of detectron2."""
    cfg.MODEL.NUM_HORIZON = 4
    cfg.MODEL.USE_NMS = True
    cfg.MODEL.NULL_CLASS = False
    cfg.MODEL.CLAMP_PREDS = False
    cfg.MODEL.ENCODER = CN({"NAME": "ResNetEncoder", "DIMENSION": 256})
    cfg.MODEL.NETWORK = CN({"NAME": "ResidualNet", "NUM_BLOCK": 3, "HIDDEN_SIZE": 128})
    cfg.MODEL.TRAIN_PROPOSALS = CN({"NAME": "UniformBoxes", "COUNT": 100, "SIGMA": 0.001})
    cfg.MODEL.BOX_LOSS = CN({"NAME": "BoxDistance", "USE_GIOU": False, "LAMBDA": 1.0})

    cfg.SOLVER.OPTIMIZER = "SGD"
    cfg.SOLVER.BACKBONE_MULTIPLIER = 1.0
    cfg.SOLVER.AMP.ENABLED = True
    cfg.SOLVER.WANDB = CN({"ENABLED": False, "LOG_FREQUENCY": 100})

    cfg.DATASETS.NUM_CLASSES = 80
    cfg.DATASETS.AUGMENTATION = CN({"ENABLED": True})
