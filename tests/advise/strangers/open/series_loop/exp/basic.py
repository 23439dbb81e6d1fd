# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from models import DLinear, PatchTST, TimesNet


class Exp_Basic:
    def __init__(self, args):
        self.args = args
        self.model_dict = {'TimesNet': TimesNet, 'DLinear': DLinear, 'PatchTST': PatchTST}
        self.device = torch.device(f'cuda:{args.gpu}' if args.use_gpu else 'cpu')
        self.model = self._build_model().to(self.device)

    def _build_model(self):
        model = self.model_dict[self.args.model].Model(self.args).float()
        if self.args.use_multi_gpu and self.args.use_gpu:
            model = torch.nn.DataParallel(model, device_ids=self.args.device_ids)
        return model
