# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a language model of words."""
import argparse
import math
import time

import torch
from torch import nn

from data import Corpus, columns
from model import RNNModel

parser = argparse.ArgumentParser(description="word language model")
parser.add_argument("--data", default="./data/wikitext-2")
parser.add_argument("--model", default="LSTM", help="LSTM, GRU or RNN")
parser.add_argument("--emsize", type=int, default=650)
parser.add_argument("--nhid", type=int, default=650)
parser.add_argument("--nlayers", type=int, default=2)
parser.add_argument("--lr", type=float, default=20)
parser.add_argument("--clip", type=float, default=0.25)
parser.add_argument("--epochs", type=int, default=40)
parser.add_argument("--batch_size", type=int, default=64)
parser.add_argument("--bptt", type=int, default=35)
parser.add_argument("--dropout", type=float, default=0.5)
parser.add_argument("--seed", type=int, default=1111)
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--log-interval", type=int, default=50)
parser.add_argument("--save", default="model.pt")


def detach(state):
    return tuple(detach(s) for s in state) if isinstance(state, tuple) \
        else state.detach()


def train_epoch(args, model, source, lr, iteration):
    state, start = None, time.time()
    model.train()
    for at in range(0, len(source) - 1, args.bptt):
        n = min(args.bptt, len(source) - 1 - at)
        state = detach(state) if state else None
        output, state = model(source[at:at + n], state)
        loss = nn.functional.cross_entropy(
            output.flatten(0, 1), source[at + 1:at + 1 + n].flatten())
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for weight in model.parameters():
            weight.data.add_(weight.grad, alpha=-lr)
        iteration += 1
        if iteration % args.log_interval == 0:
            took = (time.time() - start) * 1000 / args.log_interval
            print("iter %d: loss %.4f, time %.2fms, lr %.3f" % (
                iteration, loss.item(), took, lr))
            start = time.time()
    return iteration


@torch.no_grad()
def evaluate(args, model, source):
    total, state = 0.0, None
    model.eval()
    for at in range(0, len(source) - 1, args.bptt):
        n = min(args.bptt, len(source) - 1 - at)
        output, state = model(source[at:at + n], state)
        total += n * nn.functional.cross_entropy(
            output.flatten(0, 1), source[at + 1:at + 1 + n].flatten()).item()
    return total / (len(source) - 1)


def main():
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    device = "cuda" if args.cuda else "cpu"
    corpus = Corpus(args.data)
    train = columns(corpus.train, args.batch_size).to(device)
    valid = columns(corpus.valid, 10).to(device)
    model = RNNModel(args.model, len(corpus.numbers), args.emsize, args.nhid,
                     args.nlayers, args.dropout).to(device)
    lr, best, iteration = args.lr, math.inf, 0
    for epoch in range(1, args.epochs + 1):
        iteration = train_epoch(args, model, train, lr, iteration)
        loss = evaluate(args, model, valid)
        print("end of epoch %d: valid loss %.2f, perplexity %.2f" % (
            epoch, loss, math.exp(loss)))
        if loss < best:
            best = loss
            torch.save(model.state_dict(), args.save)
        else:
            lr /= 4


if __name__ == "__main__":
    main()
