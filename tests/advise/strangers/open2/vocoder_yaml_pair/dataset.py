# SPDX-License-Identifier: GPL-3.0-or-later
import os

import torch
import torchaudio


class Dataset(torch.utils.data.Dataset):
    def __init__(self, configs, set_name='train'):
        data = configs['data']
        self.items = []
        for part in data[f'{set_name}_sets']:
            folder = os.path.join(data['wav_path'], part)
            for root, _, names in os.walk(folder):
                self.items += [os.path.join(root, name) for name in names if name.endswith('.wav')]
        self.rate = data['sampling_rate']

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        wave, rate = torchaudio.load(self.items[index])
        return torchaudio.functional.resample(wave, rate, self.rate)

    def collate_fn(self, waves):
        return {'wavs': torch.nn.utils.rnn.pad_sequence([w[0] for w in waves], batch_first=True)}
