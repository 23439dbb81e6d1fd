# SPDX-License-Identifier: GPL-3.0-or-later
"""Detectron2 0.6: the loader of the training data."""
from schedsim import job


def build_detection_train_loader(cfg, mapper=None, dataset=None,
                                 total_batch_size=None, **more):
    if total_batch_size is not None:
        job(batch_size=total_batch_size)
    else:
        job(batch_size=cfg.SOLVER.IMS_PER_BATCH)
    if len(cfg.DATASETS.TRAIN):
        job(dataset_name=cfg.DATASETS.TRAIN[0])
