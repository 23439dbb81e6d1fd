# SPDX-License-Identifier: GPL-3.0-or-later
import itertools
import logging

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from detectron2.checkpoint import DetectionCheckpointer, PeriodicCheckpointer
from detectron2.config import get_cfg
from detectron2.data import build_detection_train_loader
from detectron2.engine import default_argument_parser, default_setup
from detectron2.modeling import build_model
from detectron2.solver import build_lr_scheduler
from detectron2.solver.build import maybe_add_gradient_clipping
from tqdm import tqdm

from boxflow import BoxFlowMapper, add_boxflow_cfg

logger = logging.getLogger("detectron2")


def build_optimizer(cfg, model):
    groups = []
    for name, value in model.named_parameters():
        if not value.requires_grad:
            continue
        lr = cfg.SOLVER.BASE_LR
        if "backbone" in name:
            lr = lr * cfg.SOLVER.BACKBONE_MULTIPLIER
        groups.append({"params": [value], "lr": lr, "weight_decay": cfg.SOLVER.WEIGHT_DECAY})

    clip = cfg.SOLVER.CLIP_GRADIENTS

    def whole_model(base):
        class Clipped(base):
            def step(self, closure=None):
                everything = itertools.chain(*[g["params"] for g in self.param_groups])
                torch.nn.utils.clip_grad_norm_(everything, clip.CLIP_VALUE)
                super().step(closure=closure)

        return Clipped if clip.ENABLED and clip.CLIP_TYPE == "full_model" else base

    kind = cfg.SOLVER.OPTIMIZER
    if kind == "SGD":
        optimizer = whole_model(torch.optim.SGD)(groups, cfg.SOLVER.BASE_LR,
                                                 momentum=cfg.SOLVER.MOMENTUM)
    elif kind == "AdamW":
        optimizer = whole_model(torch.optim.AdamW)(groups, cfg.SOLVER.BASE_LR)
    else:
        raise NotImplementedError(kind)
    if clip.CLIP_TYPE != "full_model":
        optimizer = maybe_add_gradient_clipping(cfg, optimizer)
    return optimizer


def do_train(cfg, model, accelerator, resume=False):
    model.train()
    optimizer = build_optimizer(cfg, model)
    scheduler = build_lr_scheduler(cfg, optimizer)
    loader = build_detection_train_loader(cfg, mapper=BoxFlowMapper(cfg, is_train=True))
    saver = DetectionCheckpointer(model, cfg.OUTPUT_DIR, optimizer=optimizer, scheduler=scheduler)
    first = saver.resume_or_load(None, resume=resume).get("iteration", -1) + 1
    saver = PeriodicCheckpointer(saver, cfg.SOLVER.CHECKPOINT_PERIOD, max_iter=cfg.SOLVER.MAX_ITER)
    logger.info("first iteration: %d", first)

    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for batch, step in tqdm(zip(loader, range(first, cfg.SOLVER.MAX_ITER)),
                            disable=not accelerator.is_main_process, total=cfg.SOLVER.MAX_ITER):
        with accelerator.accumulate(model):
            total = 0.0
            for _ in range(cfg.MODEL.NUM_HORIZON):
                batch = model(batch)
                for item in batch:
                    total = total + sum(item["loss_dict"].values())
                    item["proposal_boxes"] = item["pred_boxes"].detach()
            total = total / len(batch) / cfg.MODEL.NUM_HORIZON
            accelerator.backward(total)
            optimizer.step()
            if not accelerator.optimizer_step_was_skipped:
                scheduler.step()
            saver.step(step)
            optimizer.zero_grad()
    accelerator.end_training()


def setup(args):
    cfg = get_cfg()
    add_boxflow_cfg(cfg)
    cfg.merge_from_file(args.config_file)
    cfg.merge_from_list(args.opts)
    cfg.freeze()
    default_setup(cfg, args)
    return cfg


def main(args):
    cfg = setup(args)
    do_train(cfg, build_model(cfg), Accelerator(), args.resume)


if __name__ == "__main__":
    set_seed(42)
    main(default_argument_parser().parse_args())
