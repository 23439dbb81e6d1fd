# SPDX-License-Identifier: GPL-3.0-or-later
"""A conformer of NeMo on LibriSpeech, for comparison."""
import argparse

import nemo.collections.asr as nemo_asr
import pytorch_lightning as pl

parser = argparse.ArgumentParser()
parser.add_argument("--data_dir", default="/data/LibriSpeech")
parser.add_argument("--model_name", default="stt_en_conformer_ctc_small")
parser.add_argument("--batch_size", type=int, default=32)
parser.add_argument("--epochs", type=int, default=100)
parser.add_argument("--gpus", type=int, default=2)
args = parser.parse_args()
model = nemo_asr.models.EncDecCTCModelBPE.from_pretrained(args.model_name)
trainer = pl.Trainer(devices=args.gpus, max_epochs=args.epochs, precision=16, strategy="ddp")
trainer.fit(model)
