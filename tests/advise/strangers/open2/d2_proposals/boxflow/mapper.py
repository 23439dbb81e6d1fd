# SPDX-License-Identifier: GPL-3.0-or-later
import copy

import torch
from detectron2.data import detection_utils as utils
from detectron2.data import transforms as T


class BoxFlowMapper:
    def __init__(self, cfg, is_train=True):
        self.is_train = is_train
        self.format = cfg.INPUT.FORMAT
        self.steps = [T.ResizeShortestEdge(cfg.INPUT.MIN_SIZE_TRAIN, cfg.INPUT.MAX_SIZE_TRAIN,
                                           "choice")]
        if cfg.DATASETS.AUGMENTATION.ENABLED and is_train:
            self.steps.append(T.RandomFlip())

    def __call__(self, entry):
        entry = copy.deepcopy(entry)
        image = utils.read_image(entry["file_name"], format=self.format)
        image, moves = T.apply_transform_gens(self.steps, image)
        entry["image"] = torch.as_tensor(image.transpose(2, 0, 1).copy())
        boxes = [utils.transform_instance_annotations(one, moves, image.shape[:2])
                 for one in entry.pop("annotations", [])]
        entry["instances"] = utils.annotations_to_instances(boxes, image.shape[:2])
        return entry
