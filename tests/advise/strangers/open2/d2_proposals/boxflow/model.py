# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from detectron2.layers import ShapeSpec
from detectron2.modeling import META_ARCH_REGISTRY, build_backbone
from detectron2.modeling.poolers import ROIPooler
from torch import nn


@META_ARCH_REGISTRY.register()
class BoxFlow(nn.Module):
    """A backbone, and a small network that moves each box towards the nearest object."""

    def __init__(self, cfg):
        super().__init__()
        self.backbone = build_backbone(cfg)
        shapes: dict[str, ShapeSpec] = self.backbone.output_shape()
        self.features = cfg.MODEL.ROI_HEADS.IN_FEATURES
        self.pool = ROIPooler(cfg.MODEL.ROI_BOX_HEAD.POOLER_RESOLUTION,
                              [1.0 / shapes[name].stride for name in self.features],
                              cfg.MODEL.ROI_BOX_HEAD.POOLER_SAMPLING_RATIO,
                              cfg.MODEL.ROI_BOX_HEAD.POOLER_TYPE)
        width = cfg.MODEL.NETWORK.HIDDEN_SIZE
        self.move = nn.Sequential(nn.LazyLinear(width), nn.ReLU(), nn.Linear(width, 4))
        self.name = nn.Linear(width, cfg.DATASETS.NUM_CLASSES + int(cfg.MODEL.NULL_CLASS))
        self.count = cfg.MODEL.TRAIN_PROPOSALS.COUNT
        self.sigma = cfg.MODEL.TRAIN_PROPOSALS.SIGMA

    def forward(self, batch):
        images = torch.stack([item["image"].float() for item in batch])
        found = self.backbone(images)
        for item in batch:
            boxes = item.setdefault("proposal_boxes", torch.rand(self.count, 4))
            item["pred_boxes"] = boxes + self.move(
                self.pool([found[name] for name in self.features], [boxes]).flatten(1))
            target = item["instances"].gt_boxes.tensor
            item["loss_dict"] = {"box": torch.cdist(item["pred_boxes"], target).min(1)[0].mean()}
        return batch
