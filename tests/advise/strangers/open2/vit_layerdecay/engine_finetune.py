# SPDX-License-Identifier: GPL-3.0-or-later
import math
import sys

import torch
from timm.utils import accuracy

import util.misc as misc


def train_one_epoch(model, criterion, data_loader, optimizer, device, epoch, loss_scaler,
                    max_norm=0, mixup_fn=None, log_writer=None, args=None):
    model.train(True)
    logger = misc.MetricLogger(delimiter="  ")
    optimizer.zero_grad()
    for step, (samples, targets) in enumerate(
            logger.log_every(data_loader, 20, 'Epoch: [{}]'.format(epoch))):
        samples = samples.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        if mixup_fn is not None:
            samples, targets = mixup_fn(samples, targets)
        with torch.cuda.amp.autocast():
            loss = criterion(model(samples), targets)
        if not math.isfinite(loss.item()):
            print("Loss is {}, stopping training".format(loss.item()))
            sys.exit(1)
        loss_scaler(loss / args.accum_iter, optimizer, clip_grad=max_norm,
                    parameters=model.parameters(),
                    update_grad=(step + 1) % args.accum_iter == 0)
        if (step + 1) % args.accum_iter == 0:
            optimizer.zero_grad()
        logger.update(loss=loss.item(), lr=optimizer.param_groups[0]["lr"])
    return {name: meter.global_avg for name, meter in logger.meters.items()}


@torch.no_grad()
def evaluate(data_loader, model, device):
    logger = misc.MetricLogger(delimiter="  ")
    model.eval()
    for images, target in logger.log_every(data_loader, 10, 'Test:'):
        with torch.cuda.amp.autocast():
            output = model(images.to(device))
        acc1, acc5 = accuracy(output, target.to(device), topk=(1, 5))
        logger.update(acc1=acc1.item(), acc5=acc5.item())
    return {name: meter.global_avg for name, meter in logger.meters.items()}
