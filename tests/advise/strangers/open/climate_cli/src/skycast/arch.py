# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from timm.models.vision_transformer import Block, PatchEmbed


class WeatherViT(torch.nn.Module):
    """A token per variable and patch; variables are summed up by attention."""

    def __init__(self, default_vars, img_size=(32, 64), patch_size=2, embed_dim=1024, depth=8,
                 decoder_depth=2, num_heads=16, mlp_ratio=4.0, drop_path=0.1):
        super().__init__()
        self.embeds = torch.nn.ModuleList(
            [PatchEmbed(img_size, patch_size, 1, embed_dim) for _ in default_vars])
        self.blocks = torch.nn.ModuleList(
            [Block(embed_dim, num_heads, mlp_ratio) for _ in range(depth)])
        self.head = torch.nn.Sequential(
            *[torch.nn.Linear(embed_dim, embed_dim) for _ in range(decoder_depth)])


class ConvBaseline(torch.nn.Module):
    """Residual net of the benchmark, for comparison."""

    def __init__(self, in_channels, hidden=128, n_blocks=28):
        super().__init__()
        self.stem = torch.nn.Conv2d(in_channels, hidden, 7, padding=3)
