# SPDX-License-Identifier: GPL-3.0-or-later
import torch


class SongUNet(torch.nn.Module):
    def __init__(self, img_resolution, channels=128, embedding_type="positional", dropout=0.1):
        super().__init__()
        self.enc = torch.nn.ModuleDict({str(n): torch.nn.Conv2d(channels, channels, 3)
                                        for n in range(4)})


class DhariwalUNet(torch.nn.Module):
    def __init__(self, img_resolution, channels=192, dropout=0.1):
        super().__init__()
        self.enc = torch.nn.Conv2d(3, channels, 3)


class EDM(torch.nn.Module):
    def __init__(self, img_resolution, model_type="DhariwalUNet", use_fp16=False, **kw):
        super().__init__()
        self.use_fp16 = use_fp16
        self.model = globals()[model_type](img_resolution, **kw)


class VP(EDM):
    pass


class VE(EDM):
    pass
