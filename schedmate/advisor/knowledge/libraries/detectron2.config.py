# SPDX-License-Identifier: GPL-3.0-or-later
"""Detectron2 0.6: the defaults of its configuration (config/defaults.py)."""
from yacs.config import CfgNode


def get_cfg():
    cfg = CfgNode()
    cfg.VERSION = 2
    cfg.MODEL = CfgNode(dict(
        DEVICE="cuda", META_ARCHITECTURE="GeneralizedRCNN", MASK_ON=False,
        KEYPOINT_ON=False, WEIGHTS=""))
    cfg.MODEL.BACKBONE = CfgNode(dict(NAME="build_resnet_backbone"))
    cfg.MODEL.RESNETS = CfgNode(dict(DEPTH=50))
    cfg.MODEL.ROI_HEADS = CfgNode(dict(NAME="Res5ROIHeads", NUM_CLASSES=80))
    cfg.INPUT = CfgNode()
    cfg.DATASETS = CfgNode(dict(TRAIN=(), TEST=()))
    cfg.DATALOADER = CfgNode(dict(NUM_WORKERS=4))
    cfg.SOLVER = CfgNode(dict(
        MAX_ITER=40000, BASE_LR=0.001, IMS_PER_BATCH=16, MOMENTUM=0.9))
    cfg.SOLVER.AMP = CfgNode(dict(ENABLED=False))
    cfg.SOLVER.CLIP_GRADIENTS = CfgNode(dict(ENABLED=False))
    cfg.TEST = CfgNode()
    cfg.OUTPUT_DIR = "./output"
    return cfg
