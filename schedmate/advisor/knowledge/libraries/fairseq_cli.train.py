# SPDX-License-Identifier: GPL-3.0-or-later
"""fairseq 0.12: options of its training and their defaults."""
import argparse

from schedsim import job

parser = argparse.ArgumentParser()
parser.add_argument("data", nargs="?")
parser.add_argument("--arch", "-a", default="fconv")
parser.add_argument("--task", default="translation")
parser.add_argument("--optimizer", default=None)
parser.add_argument("--lr", default=0.25)
parser.add_argument("--max-tokens", type=int, default=None)
parser.add_argument("--batch-size", "--max-sentences", type=int, default=None)
parser.add_argument("--update-freq", default=1)
parser.add_argument("--max-epoch", type=int, default=0)
parser.add_argument("--max-update", type=int, default=0)
parser.add_argument("--tokens-per-sample", type=int, default=None)
parser.add_argument("--fp16", action="store_true")
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--distributed-world-size", type=int, default=None)
args, rest = parser.parse_known_args()

TASKS = {"translation": "machine translation",
         "translation_multi_simple_epoch": "machine translation",
         "language_modeling": "language modelling",
         "masked_lm": "language modelling",
         "denoising": "language modelling",
         "audio_pretraining": "self-supervised learning",
         "audio_finetuning": "speech recognition",
         "speech_to_text": "speech recognition",
         "sentence_prediction": "text classification"}
job(framework="PyTorch + fairseq", model_name=args.arch,
    dataset_name=args.data, learning_rate=args.lr,
    optimizer=args.optimizer or "nag")
if args.task in TASKS:
    job(task_type=TASKS[args.task])
if args.batch_size is not None:
    job(batch_size=args.batch_size)
elif args.max_tokens is not None:
    job(batch_size=args.max_tokens)
if args.max_epoch > 0:
    job(epochs=args.max_epoch)
if args.max_update > 0:
    job(max_steps=args.max_update)
