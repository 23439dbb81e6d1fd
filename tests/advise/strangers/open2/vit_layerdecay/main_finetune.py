# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import datetime
import os
import time

import numpy as np
import torch
import torch.backends.cudnn as cudnn
from timm.data.mixup import Mixup
from timm.loss import LabelSmoothingCrossEntropy, SoftTargetCrossEntropy
from timm.models.layers import trunc_normal_
from torch.utils.tensorboard import SummaryWriter

import models_vit
import util.lr_decay as lrd
import util.misc as misc
from engine_finetune import evaluate, train_one_epoch
from util.datasets import build_chromosomes
from util.misc import NativeScalerWithGradNormCount as NativeScaler


def get_args_parser():
    parser = argparse.ArgumentParser('tuning of a masked autoencoder', add_help=False)
    parser.add_argument('--batch_size', default=64, type=int, help='images on one GPU')
    parser.add_argument('--epochs', default=50, type=int)
    parser.add_argument('--accum_iter', default=1, type=int,
                        help='batches whose gradients are added up')

    # network
    parser.add_argument('--model', default='vit_base_patch16', type=str, metavar='MODEL')
    parser.add_argument('--input_size', default=224, type=int)
    parser.add_argument('--drop_path', type=float, default=0.1)
    parser.add_argument('--global_pool', default='avg', choices=['avg', 'token'])

    # optimizer
    parser.add_argument('--clip_grad', type=float, default=None)
    parser.add_argument('--weight_decay', type=float, default=0.05)
    parser.add_argument('--lr', type=float, default=None, help='absolute learning rate')
    parser.add_argument('--blr', type=float, default=1e-3,
                        help='learning rate for 256 images; the absolute one follows from it')
    parser.add_argument('--layer_decay', type=float, default=0.75)
    parser.add_argument('--min_lr', type=float, default=1e-6)
    parser.add_argument('--warmup_epochs', type=int, default=5)

    # augmentation
    parser.add_argument('--aa', type=str, default='rand-m9-mstd0.5-inc1')
    parser.add_argument('--smoothing', type=float, default=0.1)
    parser.add_argument('--reprob', type=float, default=0.25)
    parser.add_argument('--mixup', type=float, default=0)
    parser.add_argument('--cutmix', type=float, default=0)

    # tuning
    parser.add_argument('--finetune', default='', help='checkpoint to start from')
    parser.add_argument('--task', default='', type=str)

    # data
    parser.add_argument('--data_path', default='/datasets/imagenet/', type=str)
    parser.add_argument('--nb_classes', default=1000, type=int)
    parser.add_argument('--w_pad', action='store_true')
    parser.add_argument('--output_dir', default='./output_dir_finetune')
    parser.add_argument('--log_dir', default='./output_dir_finetune')
    parser.add_argument('--device', default='cuda')
    parser.add_argument('--seed', default=0, type=int)
    parser.add_argument('--resume', default='')
    parser.add_argument('--start_epoch', default=0, type=int)
    parser.add_argument('--eval', action='store_true')
    parser.add_argument('--num_workers', default=8, type=int)

    # processes
    parser.add_argument('--distributed', default=True, type=bool)
    parser.add_argument('--world_size', default=1, type=int)
    parser.add_argument('--local_rank', default=-1, type=int)
    parser.add_argument('--dist_url', default='env://')
    return parser


def main(args):
    misc.init_distributed_mode(args)
    device = torch.device(args.device)
    torch.manual_seed(args.seed + misc.get_rank())
    np.random.seed(args.seed + misc.get_rank())
    cudnn.benchmark = True

    sets = {part: build_chromosomes(part, args) for part in ('train', 'val', 'test')}
    sampler = torch.utils.data.DistributedSampler(
        sets['train'], num_replicas=misc.get_world_size(), rank=misc.get_rank(), shuffle=True)
    loader = torch.utils.data.DataLoader(sets['train'], sampler=sampler, drop_last=True,
                                         batch_size=args.batch_size,
                                         num_workers=args.num_workers, pin_memory=True)
    val_loader = torch.utils.data.DataLoader(sets['val'], batch_size=args.batch_size,
                                             num_workers=args.num_workers)

    mixup_fn = None
    if args.mixup > 0 or args.cutmix > 0:
        mixup_fn = Mixup(mixup_alpha=args.mixup, cutmix_alpha=args.cutmix,
                         label_smoothing=args.smoothing, num_classes=args.nb_classes)

    model = models_vit.__dict__[args.model](
        img_size=args.input_size,
        num_classes=args.nb_classes,
        drop_path_rate=args.drop_path,
        global_pool=args.global_pool,
    )
    if args.finetune and not args.eval:
        weights = torch.load(args.finetune, map_location='cpu')['model']
        for key in ('head.weight', 'head.bias'):
            weights.pop(key, None)
        print(model.load_state_dict(weights, strict=False))
        trunc_normal_(model.head.weight, std=2e-5)
    model.to(device)

    total = args.batch_size * args.accum_iter * misc.get_world_size()
    if args.lr is None:
        args.lr = args.blr * total / 256
    print("actual lr: %.2e" % args.lr)

    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
    bare = model.module if args.distributed else model

    groups = lrd.param_groups_lrd(bare, args.weight_decay, layer_decay=args.layer_decay)
    optimizer = torch.optim.AdamW(groups, lr=args.lr)
    loss_scaler = NativeScaler()
    if mixup_fn is not None:
        criterion = SoftTargetCrossEntropy()
    elif args.smoothing > 0.:
        criterion = LabelSmoothingCrossEntropy(smoothing=args.smoothing)
    else:
        criterion = torch.nn.CrossEntropyLoss()

    if args.eval:
        print(evaluate(val_loader, model, device))
        return

    writer = SummaryWriter(log_dir=args.log_dir + args.task) if misc.get_rank() == 0 else None
    began, best = time.time(), 0.0
    for epoch in range(args.start_epoch, args.epochs):
        loader.sampler.set_epoch(epoch)
        train_one_epoch(model, criterion, loader, optimizer, device, epoch, loss_scaler,
                        args.clip_grad, mixup_fn, log_writer=writer, args=args)
        scores = evaluate(val_loader, model, device)
        if scores['acc1'] > best:
            best = scores['acc1']
            misc.save_model(args, epoch, bare, optimizer, loss_scaler)
    print('Training time', datetime.timedelta(seconds=int(time.time() - began)))


if __name__ == '__main__':
    args = get_args_parser().parse_args()
    if args.output_dir:
        os.makedirs(args.output_dir, exist_ok=True)
    main(args)
