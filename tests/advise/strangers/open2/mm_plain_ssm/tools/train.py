# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import os
import os.path as osp
import time

import mmcv
import torch
import torch.distributed as dist
from mmcls.apis import init_random_seed, set_random_seed, train_model
from mmcls.datasets import build_dataset
from mmcls.models import build_classifier
from mmcls.utils import get_root_logger, setup_multi_processes
from mmcv import Config, DictAction
from mmcv.runner import get_dist_info, init_dist

import plain_ssm  # noqa: F401  registers the backbone


def parse_args():
    parser = argparse.ArgumentParser(description='Train a model')
    parser.add_argument('config', help='train config file path')
    parser.add_argument('--work-dir', help='where logs and checkpoints go')
    parser.add_argument('--resume-from')
    parser.add_argument('--no-validate', action='store_true')
    parser.add_argument('--gpu-id', type=int, default=0)
    parser.add_argument('--seed', type=int, default=None)
    parser.add_argument('--cfg-options', nargs='+', action=DictAction)
    parser.add_argument('--launcher', choices=['none', 'pytorch', 'slurm', 'mpi'], default='none')
    parser.add_argument('--local_rank', type=int, default=0)
    args = parser.parse_args()
    os.environ.setdefault('LOCAL_RANK', str(args.local_rank))
    return args


def main():
    args = parse_args()
    cfg = Config.fromfile(args.config)
    if args.cfg_options is not None:
        cfg.merge_from_dict(args.cfg_options)
    setup_multi_processes(cfg)
    if args.work_dir is not None:
        cfg.work_dir = args.work_dir
    elif cfg.get('work_dir', None) is None:
        cfg.work_dir = osp.join('./work_dirs', osp.splitext(osp.basename(args.config))[0])
    if args.resume_from is not None:
        cfg.resume_from = args.resume_from

    distributed = args.launcher != 'none'
    if distributed:
        init_dist(args.launcher, **cfg.dist_params)
        _, world_size = get_dist_info()
        cfg.gpu_ids = range(world_size)
    else:
        cfg.gpu_ids = [args.gpu_id]

    mmcv.mkdir_or_exist(osp.abspath(cfg.work_dir))
    stamp = time.strftime('%Y%m%d_%H%M%S', time.localtime())
    logger = get_root_logger(log_file=osp.join(cfg.work_dir, f'{stamp}.log'))
    logger.info(f'Config:\n{cfg.pretty_text}')
    seed = init_random_seed(args.seed) + (dist.get_rank() if distributed else 0)
    set_random_seed(seed)

    model = build_classifier(cfg.model)
    model.init_weights()
    train_model(model, [build_dataset(cfg.data.train)], cfg, distributed=distributed,
                validate=not args.no_validate, timestamp=stamp,
                device='cuda' if torch.cuda.is_available() else 'cpu')


if __name__ == '__main__':
    main()
