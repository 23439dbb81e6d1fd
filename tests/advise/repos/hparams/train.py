# SPDX-License-Identifier: GPL-3.0-or-later
"""Text to speech; settings come from hparams.py."""
import argparse

import torch

from hparams import create_hparams
from model import Tacotron2

parser = argparse.ArgumentParser()
parser.add_argument('-o', '--output_directory', type=str)
parser.add_argument('--hparams', type=str, required=False)
args = parser.parse_args()
hparams = create_hparams(args.hparams)
model = Tacotron2(hparams)
optimizer = torch.optim.Adam(model.parameters(), lr=hparams.learning_rate)
torch.distributed.init_process_group("nccl")
for epoch in range(hparams.epochs):
    print(epoch, hparams.batch_size, hparams.training_files)
