# SPDX-License-Identifier: GPL-3.0-or-later
import os

import torch
import yaml

from dataset import Dataset
from model.lm import VoiceLM
from optimizer import ScheduledOptim


def train(configs):
    torch.manual_seed(configs['training']['random_seed'])
    device = torch.device(configs['device'])
    model = torch.nn.DataParallel(VoiceLM(configs)).to(device)
    optimizer = ScheduledOptim(model, configs)
    data = Dataset(configs, set_name='train')
    loader = torch.utils.data.DataLoader(data, batch_size=configs['batch_size'], shuffle=True,
                                         collate_fn=data.collate_fn)
    step = 0
    for epoch in range(configs['training']['epoch']):
        for batch in loader:
            loss = model(batch['codec_pts'].to(device), batch['asr_emb_pts'].to(device)).mean()
            (loss / configs['training']['gradient_acc_steps']).backward()
            if step % configs['training']['gradient_acc_steps'] == 0:
                optimizer.step_and_update_lr()
                optimizer.zero_grad()
            step += 1


if __name__ == '__main__':
    with open(os.environ.get('VOICE_CONFIG', 'config.yaml')) as f:
        train(yaml.safe_load(f))
