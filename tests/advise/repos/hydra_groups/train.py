# SPDX-License-Identifier: GPL-3.0-or-later
import hydra
import torch


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    print(torch.__version__, cfg)


main()
