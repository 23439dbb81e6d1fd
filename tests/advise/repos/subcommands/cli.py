# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import torch
import torch.nn.functional as F
from torch_geometric.datasets import Planetoid
from torch_geometric.nn import GATConv, GCNConv


class GCN(torch.nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.a = GCNConv(i, h)


class GAT(torch.nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.a = GATConv(i, h, heads=8)


MODELS = dict(gcn=GCN, gat=GAT)


def train(args):
    data = Planetoid("/tmp", name=args.data.capitalize())
    model = MODELS[args.model](data.num_features, args.hidden, data.num_classes)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)
    for epoch in range(1, args.epochs + 1):
        loss = F.nll_loss(model(data.x), data.y)
        loss.backward()
        opt.step()


def evaluate(args):
    print(args.batch_size)


def main():
    ap = argparse.ArgumentParser()
    sub = ap.add_subparsers(dest="cmd", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", default="pubmed")
    tr = sub.add_parser("train", parents=[common])
    tr.add_argument("--model", default="gcn", choices=sorted(MODELS))
    tr.add_argument("--hidden", type=int, default=16)
    tr.add_argument("--epochs", type=int, default=200)
    tr.add_argument("--lr", type=float, default=5e-3)
    tr.set_defaults(func=train)
    ev = sub.add_parser("eval", parents=[common])
    ev.add_argument("--batch-size", type=int, default=1000)
    ev.set_defaults(func=evaluate)
    args = ap.parse_args()
    args.func(args)


if __name__ == "__main__":
    main()
