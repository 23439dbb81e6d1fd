# SPDX-License-Identifier: GPL-3.0-or-later
"""Detectron2 0.6: options of its programs, its launcher and its trainer."""
import argparse

import torch
from schedsim import job


def default_argument_parser(epilog=None):
    parser = argparse.ArgumentParser(epilog=epilog)
    parser.add_argument("--config-file", default="", metavar="FILE")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--eval-only", action="store_true")
    parser.add_argument("--num-gpus", type=int, default=1)
    parser.add_argument("--num-machines", type=int, default=1)
    parser.add_argument("--machine-rank", type=int, default=0)
    parser.add_argument("--dist-url", default="tcp://127.0.0.1:29500")
    parser.add_argument("opts", default=None, nargs=argparse.REMAINDER)
    return parser


def default_setup(cfg, args):
    pass


def launch(main_func, num_gpus_per_machine, num_machines=1, machine_rank=0,
           dist_url=None, args=()):
    gpus = num_gpus_per_machine * num_machines
    job(gpus=gpus)
    if gpus > 1:
        job(distributed="DDP")
    main_func(*args)


def say(cfg):
    task = "object detection"
    if cfg.MODEL.KEYPOINT_ON:
        task = "keypoint detection"
    elif cfg.MODEL.META_ARCHITECTURE == "PanopticFPN":
        task = "panoptic segmentation"
    elif cfg.MODEL.META_ARCHITECTURE == "SemanticSegmentor":
        task = "semantic segmentation"
    elif cfg.MODEL.MASK_ON:
        task = "instance segmentation"
    job(framework="PyTorch + detectron2", task_type=task,
        model_name=cfg.MODEL.META_ARCHITECTURE,
        batch_size=cfg.SOLVER.IMS_PER_BATCH, max_steps=cfg.SOLVER.MAX_ITER,
        learning_rate=cfg.SOLVER.BASE_LR)
    if cfg.MODEL.META_ARCHITECTURE in (
            "GeneralizedRCNN", "RetinaNet", "ProposalNetwork", "PanopticFPN",
            "FCOS", "SemanticSegmentor"):
        job(model_type="CNN")
    if len(cfg.DATASETS.TRAIN):
        job(dataset_name=cfg.DATASETS.TRAIN[0])
    if cfg.SOLVER.AMP.ENABLED:
        job(precision="amp")


class DefaultTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        say(cfg)
        model = self.build_model(cfg)
        self.optimizer = self.build_optimizer(cfg, model)
        self.data_loader = self.build_train_loader(cfg)
        self.model = model

    def resume_or_load(self, resume=True):
        pass

    def register_hooks(self, hooks):
        pass

    def train(self):
        return self.model

    @classmethod
    def build_model(cls, cfg):
        return None

    @classmethod
    def build_optimizer(cls, cfg, model):
        return torch.optim.SGD([], lr=cfg.SOLVER.BASE_LR,
                               momentum=cfg.SOLVER.MOMENTUM)

    @classmethod
    def build_train_loader(cls, cfg):
        return None

    @classmethod
    def build_lr_scheduler(cls, cfg, optimizer):
        return None


class SimpleTrainer:
    def __init__(self, model, data_loader, optimizer):
        self.model = model
