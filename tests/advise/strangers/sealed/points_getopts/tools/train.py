# SPDX-License-Identifier: GPL-3.0-or-later
from pointlab.defaults import default_argument_parser, default_config_parser, default_setup
from pointlab.launch import launch
from pointlab.trainer import TRAINERS


def main_worker(cfg):
    cfg = default_setup(cfg)
    TRAINERS.build(dict(type=cfg.train["type"], cfg=cfg)).train()


def main():
    args = default_argument_parser().parse_args()
    cfg = default_config_parser(args.config_file, args.options)
    launch(main_worker, num_gpus_per_machine=args.num_gpus, num_machines=args.num_machines,
           machine_rank=args.machine_rank, cfg=(cfg,))


if __name__ == "__main__":
    main()
