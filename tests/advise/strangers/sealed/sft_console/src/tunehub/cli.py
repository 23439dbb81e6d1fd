# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess
import sys

import torch

from tunehub import launcher
from tunehub.train.tuner import run_exp
from tunehub.webui import run_webui

USAGE = "tunehub-cli train|export|chat|webui ..."


def main():
    command = sys.argv.pop(1) if len(sys.argv) > 1 else "help"
    if command == "train":
        several = torch.cuda.device_count() > 1
        if several or os.getenv("FORCE_TORCHRUN", "0") == "1":
            args = ["torchrun", "--nnodes", os.getenv("NNODES", "1"),
                    "--nproc_per_node", os.getenv("NPROC_PER_NODE", str(torch.cuda.device_count())),
                    "--master_addr", os.getenv("MASTER_ADDR", "127.0.0.1"),
                    launcher.__file__, *sys.argv[1:]]
            sys.exit(subprocess.run(args, check=False).returncode)
        run_exp()
    elif command == "webui":
        run_webui()
    else:
        print(USAGE)
