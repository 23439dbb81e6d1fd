# SPDX-License-Identifier: GPL-3.0-or-later
"""A Wasserstein loss for the same networks. Experiment, not used."""
import torch

CLIP = 0.01
BATCH_SIZE = 256


def critic_step(net_g, net_d, real, optimizer, noise):
    fake = net_g(torch.randn(len(real), noise, 1, 1, device=real.device))
    loss = net_d(fake.detach()).mean() - net_d(real).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for weight in net_d.parameters():
        weight.data.clamp_(-CLIP, CLIP)
    return loss.item()
