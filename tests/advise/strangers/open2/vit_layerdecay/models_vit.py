# SPDX-License-Identifier: GPL-3.0-or-later
from functools import partial

import timm.models.vision_transformer
import torch
import torch.nn as nn


class VisionTransformer(timm.models.vision_transformer.VisionTransformer):
    """timm's, with a mean over the patches before the head."""

    def __init__(self, global_pool='avg', **kwargs):
        super().__init__(**kwargs)
        self.pooling = global_pool
        if self.pooling == 'avg':
            self.fc_norm = kwargs['norm_layer'](kwargs['embed_dim'])
            del self.norm

    def forward_features(self, x):
        x = self.patch_embed(x)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos_embed
        for block in self.blocks:
            x = block(self.pos_drop(x))
        return self.fc_norm(x[:, 1:].mean(dim=1)) if self.pooling == 'avg' else self.norm(x)[:, 0]


def vit_base_patch16(**kwargs):
    return VisionTransformer(patch_size=16, embed_dim=768, depth=12, num_heads=12, mlp_ratio=4,
                             qkv_bias=True, norm_layer=partial(nn.LayerNorm, eps=1e-6), **kwargs)


def vit_large_patch16(**kwargs):
    return VisionTransformer(patch_size=16, embed_dim=1024, depth=24, num_heads=16, mlp_ratio=4,
                             qkv_bias=True, norm_layer=partial(nn.LayerNorm, eps=1e-6), **kwargs)


def vit_huge_patch14(**kwargs):
    return VisionTransformer(patch_size=14, embed_dim=1280, depth=32, num_heads=16, mlp_ratio=4,
                             qkv_bias=True, norm_layer=partial(nn.LayerNorm, eps=1e-6), **kwargs)
