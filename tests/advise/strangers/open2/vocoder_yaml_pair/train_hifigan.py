# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import itertools
import os
import shutil
import time
from pathlib import Path

import torch
import torch.nn.functional as F
import yaml

from dataset import Dataset
from model.lm import VoiceLM
from model.vocoder import (Generator, MultiPeriodDiscriminator, MultiScaleDiscriminator,
                           discriminator_loss, feature_loss, generator_loss)
from utils import load_checkpoint, mel_spectrogram, save_checkpoint, scan_checkpoint

torch.backends.cudnn.benchmark = True


def train(configs):
    exp_path = os.path.join(configs['exp_path'], configs['exp_name'])
    Path(os.path.join(exp_path, 'ckpt_hifigan')).mkdir(parents=True, exist_ok=True)

    # settings of the vocoder are kept beside its checkpoints
    shutil.copyfile('config_hifigan.yaml', os.path.join(exp_path, 'config_hifigan.yaml'))
    with open(os.path.join(exp_path, 'config_hifigan.yaml')) as stream:
        configs = yaml.safe_load(stream)
    print(configs, flush=True)

    torch.manual_seed(configs['training']['random_seed'])
    device = torch.device(configs['device'])

    # the language model is ready and only speaks here
    lm = torch.nn.DataParallel(VoiceLM(configs))
    restore = configs['training']['restore_step']
    lm.load_state_dict(torch.load(os.path.join(exp_path, 'ckpt', f'checkpoint_{restore}.pt'))['model'])
    lm = lm.to(device).eval()

    generator = Generator(configs).to(device)
    mpd = MultiPeriodDiscriminator().to(device)
    msd = MultiScaleDiscriminator().to(device)
    steps, last_epoch = 0, -1
    found = scan_checkpoint(os.path.join(exp_path, 'ckpt_hifigan'), 'g_')
    if found is not None:
        state = load_checkpoint(found, device)
        generator.load_state_dict(state['generator'])
        steps, last_epoch = state['steps'] + 1, state['epoch']

    optim = configs['training']['optim']
    optim_g = torch.optim.AdamW(generator.parameters(), optim['learning_rate'], betas=optim['betas'])
    optim_d = torch.optim.AdamW(itertools.chain(msd.parameters(), mpd.parameters()),
                                optim['learning_rate'], betas=optim['betas'])
    scheduler_g = torch.optim.lr_scheduler.ExponentialLR(optim_g, gamma=optim['lr_decay'])
    scheduler_d = torch.optim.lr_scheduler.ExponentialLR(optim_d, gamma=optim['lr_decay'])

    data = Dataset(configs, set_name='train')
    loader = torch.utils.data.DataLoader(data, batch_size=configs['batch_size'], shuffle=True,
                                         collate_fn=data.collate_fn, drop_last=True, num_workers=16)
    check = torch.utils.data.DataLoader(Dataset(configs, set_name='dev'), batch_size=1)
    print('training items:', len(data), 'validation items:', len(check), flush=True)

    for epoch in range(max(0, last_epoch), configs['training']['epoch']):
        for batch in loader:
            start_b = time.time()
            with torch.no_grad():
                codes = lm(batch['codec_pts'].to(device), batch['asr_emb_pts'].to(device))
                codes = codes.argmax(-1)
            wavs = batch['wavs'].to(device).unsqueeze(1)
            made = generator(codes)
            mels = mel_spectrogram(wavs.squeeze(1), configs['mel'])
            mels_made = mel_spectrogram(made.squeeze(1), configs['mel'])

            optim_d.zero_grad()
            loss_d = sum(discriminator_loss(*judge(wavs, made.detach())[:2]) for judge in (mpd, msd))
            loss_d.backward()
            optim_d.step()

            optim_g.zero_grad()
            loss_g = F.l1_loss(mels, mels_made) * 45
            for judge in (mpd, msd):
                _, fake, real_maps, fake_maps = judge(wavs, made)
                loss_g = loss_g + feature_loss(real_maps, fake_maps) + generator_loss(fake)
            loss_g.backward()
            optim_g.step()

            if steps % configs['training']['report_every'] == 0:
                print('Steps : {:d}, Gen Loss Total : {:4.3f}, s/b : {:4.3f}'.format(
                    steps, loss_g.item(), time.time() - start_b), flush=True)
            if steps % configs['training']['save_every'] == 0 and steps != 0:
                save_checkpoint(os.path.join(exp_path, 'ckpt_hifigan', f'g_{steps:08d}'),
                                {'generator': generator.state_dict(), 'steps': steps,
                                 'epoch': epoch})
            steps += 1
        scheduler_g.step()
        scheduler_d.step()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--config', default='config_hifigan.yaml')
    with open(parser.parse_args().config) as stream:
        train(yaml.safe_load(stream))
