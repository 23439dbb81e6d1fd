# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers in a passage: fine-tuning and prediction."""
import argparse

import torch
from torch.utils.data import DataLoader, RandomSampler
from torch.utils.data.distributed import DistributedSampler

import modeling
from optimization import BertAdam, warmup_linear


def read_examples(path):
    import json
    with open(path) as f:
        return json.load(f)["data"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bert_model", default=None, type=str, required=True,
                        help="one of bert-base-uncased, bert-large-uncased, bert-base-cased")
    parser.add_argument("--output_dir", default=None, type=str, required=True)
    parser.add_argument("--init_checkpoint", default=None, type=str, required=True)
    parser.add_argument("--train_file", default=None, type=str, help="SQuAD JSON, train-v1.1.json")
    parser.add_argument("--predict_file", default=None, type=str)
    parser.add_argument("--max_seq_length", default=384, type=int)
    parser.add_argument("--doc_stride", default=128, type=int)
    parser.add_argument("--do_train", action="store_true")
    parser.add_argument("--do_predict", action="store_true")
    parser.add_argument("--train_batch_size", default=32, type=int, help="batch of a process")
    parser.add_argument("--predict_batch_size", default=8, type=int)
    parser.add_argument("--learning_rate", default=5e-5, type=float)
    parser.add_argument("--num_train_epochs", default=3.0, type=float)
    parser.add_argument("--max_steps", default=-1.0, type=float, help="-1: by epochs")
    parser.add_argument("--warmup_proportion", default=0.1, type=float)
    parser.add_argument("--n_best_size", default=20, type=int)
    parser.add_argument("--do_lower_case", action="store_true")
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--fp16", default=False, action="store_true")
    parser.add_argument("--amp", default=False, action="store_true")
    parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
    parser.add_argument("--vocab_file", type=str, default=None, required=True)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()
    args.fp16 = args.fp16 or args.amp

    torch.cuda.set_device(args.local_rank)
    if args.local_rank != -1:
        torch.distributed.init_process_group(backend="nccl", init_method="env://")
    args.train_batch_size = args.train_batch_size // args.gradient_accumulation_steps

    model = modeling.BertForQuestionAnswering.load(args.bert_model, args.init_checkpoint).cuda()
    groups = [{"params": list(model.parameters()), "weight_decay": 0.01}]
    if args.do_train:
        if args.fp16:
            from apex import amp
            from apex.optimizers import FusedAdam
            optimizer = FusedAdam(groups, lr=args.learning_rate, bias_correction=False)
            model, optimizer = amp.initialize(model, optimizer, opt_level="O2")
        else:
            optimizer = BertAdam(groups, lr=args.learning_rate, warmup=args.warmup_proportion)
    if args.local_rank != -1:
        from apex.parallel import DistributedDataParallel as DDP
        model = DDP(model)

    if args.do_train:
        data = read_examples(args.train_file)
        sampler = RandomSampler(data) if args.local_rank == -1 else DistributedSampler(data)
        loader = DataLoader(data, sampler=sampler, batch_size=args.train_batch_size)
        step = 0
        for _ in range(int(args.num_train_epochs)):
            for batch in loader:
                if 0 < args.max_steps < step:
                    break
                start, end = model(batch)
                loss = torch.nn.functional.cross_entropy(start, end)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                step += 1
    if args.do_predict and args.local_rank in (-1, 0):
        DataLoader(read_examples(args.predict_file), batch_size=args.predict_batch_size)


if __name__ == "__main__":
    main()
