# SPDX-License-Identifier: GPL-3.0-or-later
"""Which sign goes with a message: trains a classifier of short texts."""
import argparse

import torch
import yaml
from torch.utils.data import DataLoader

from dataset.tweets import TweetDataset
from model.recurrent import GRUAttention
from utils.training import evaluate, train_epoch


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config_file", default="configs/gru.yaml")
    parser.add_argument("--name", default="debug")
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--weight_decay", type=float, default=0.01)
    parser.add_argument("--resume", default=None)
    return parser.parse_args()


def main():
    args = parse_args()
    with open(args.config_file) as f:
        config = yaml.safe_load(f)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    train = TweetDataset(config["data"]["data_dir"], "train", config["data"]["tokenizer"])
    valid = TweetDataset(config["data"]["data_dir"], "valid", config["data"]["tokenizer"])
    train_loader = DataLoader(train, batch_size=args.batch_size, shuffle=True,
                              collate_fn=train.collate)
    valid_loader = DataLoader(valid, batch_size=256, collate_fn=train.collate)

    model = GRUAttention(train.vocab_size, train.n_classes, **config["model"]).to(device)
    # model = BagOfWords(train.vocab_size, train.n_classes)
    # optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, optimizer, device)
        scheduler.step(evaluate(model, valid_loader, device))
        print(f"epoch {epoch} loss {loss:.4f}")


if __name__ == "__main__":
    main()
