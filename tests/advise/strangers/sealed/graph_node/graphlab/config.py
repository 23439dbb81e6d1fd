# SPDX-License-Identifier: GPL-3.0-or-later
from yacs.config import CfgNode as CN

cfg = CN()


def set_cfg(cfg):
    cfg.device = "auto"
    cfg.out_dir = "results"
    cfg.seed = 1
    cfg.num_threads = 6

    cfg.dataset = CN()
    cfg.dataset.name = "PubMed"
    cfg.dataset.format = "PyG"
    cfg.dataset.task = "graph"  # node, edge or graph
    cfg.dataset.task_type = "classification"
    cfg.dataset.transductive = True
    cfg.dataset.split = [0.8, 0.1, 0.1]

    cfg.train = CN()
    cfg.train.mode = "standard"
    cfg.train.batch_size = 16
    cfg.train.sampler = "full_batch"
    cfg.train.eval_period = 10

    cfg.val = CN()
    cfg.val.sampler = "full_batch"

    cfg.model = CN()
    cfg.model.type = "gnn"
    cfg.model.loss_fun = "cross_entropy"

    cfg.gnn = CN()
    cfg.gnn.layers_pre_mp = 0
    cfg.gnn.layers_mp = 2
    cfg.gnn.dim_inner = 16
    cfg.gnn.layer_type = "generalconv"
    cfg.gnn.stage_type = "stack"
    cfg.gnn.dropout = 0.0

    cfg.optim = CN()
    cfg.optim.optimizer = "adam"  # sgd or adam
    cfg.optim.base_lr = 0.01
    cfg.optim.weight_decay = 5e-4
    cfg.optim.momentum = 0.9
    cfg.optim.scheduler = "cos"
    cfg.optim.max_epoch = 200


def load_cfg(cfg, args):
    cfg.merge_from_file(args.cfg_file)
    cfg.merge_from_list(args.opts)


set_cfg(cfg)
