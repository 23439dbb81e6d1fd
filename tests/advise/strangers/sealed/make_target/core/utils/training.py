# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch.nn.functional import cross_entropy


def train_epoch(model, loader, optimizer, device):
    total = 0.0
    for tokens, labels in loader:
        optimizer.zero_grad()
        loss = cross_entropy(model(tokens.to(device)), labels.to(device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def evaluate(model, loader, device):
    return sum(cross_entropy(model(t.to(device)), y.to(device)).item() for t, y in loader)
